// Shows warnings and errors of the services' logs in the terminal, one per line.
import type { ServiceName } from './local-environment.js';

const shownLevels = new Map([
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

/** Prints a line of a service's log if it is a warning or an error; the file has all lines. */
export function showLogLine(service: ServiceName, line: string): void {
  const shown = readableLine(service, line);
  if (shown !== undefined) console.error(shown);
}

/**
 * `session-service warning: message`. Undefined for lines below a warning, for failed health checks, which the launcher
 * explains itself, and for the second image library, which every fresh clone uses.
 */
export function readableLine(service: ServiceName, line: string): string | undefined {
  const entry = parseEntry(line);
  const level = shownLevels.get(entry?.level ?? '');
  if (entry === undefined || level === undefined) return undefined;
  if (entry.check !== undefined || entry.driver !== undefined) return undefined;
  const reason = entry.err?.message === entry.msg ? undefined : entry.err?.message;
  return `${service} ${level}: ${[entry.msg, reason].filter(Boolean).join(': ')}`;
}

interface Entry {
  readonly level?: string;
  readonly msg?: string;
  readonly check?: string;
  readonly driver?: string;
  readonly err?: { readonly message?: string };
}

function parseEntry(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
