// The log of the plugins. In an application without a logger, which would hide them, warnings go to stderr.

import type { FastifyInstance } from 'fastify';

/** The part of a logger that the plugins use. */
export interface PluginLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Returns the application's logger; for an application without one, a log that writes a line to stderr per warning. */
export function pluginLog({ log }: Pick<FastifyInstance, 'log'>): PluginLog {
  // All methods of the logger that Fastify has by default are one function. So are those of a silent one, which has a level.
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
