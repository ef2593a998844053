// Plugin log. Without a logger, which would hide warnings, they go to stderr.

import type { FastifyInstance } from 'fastify';

/** Logger functions used by the plugins. */
interface PluginLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Returns the application's logger; without one, a log that writes a line per warning to stderr. */
export function pluginLog({ log }: Pick<FastifyInstance, 'log'>): PluginLog {
  // All methods of Fastify's default logger are one function. So are those of a silent logger, which has a level.
  if (log.level !== undefined || log.warn !== log.fatal) return log;
  return { info() {}, warn: (about, message) => console.warn(lineOf(about, message)) };
}

function lineOf(about: object, message: string): string {
  const { err, ...rest } = about as { readonly err?: unknown };
  const details = [
    ...(err === undefined ? [] : [err instanceof Error ? err.message : String(err)]),
    ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]),
  ];
  return ['@tollgate/fastify', message, ...details].join(': ').replace(/\s*\n\s*/g, ' ');
}
