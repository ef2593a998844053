// What of the services' logs a person at the terminal sees: warnings and errors, a line each.
import type { ServiceName } from './local-environment.js';

const shownLevels = new Map([
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

/** Shows a line of a service's log when it is worth a look; the whole log is in its file. */
export function showLogLine(service: ServiceName, line: string): void {
  const shown = readableLine(service, line);
  if (shown !== undefined) console.error(shown);
}

/**
 * `session-service warning: message`, or nothing for what is below a warning, for failed health checks, which the
 * launcher explains itself, and for the second image library, which is what a fresh clone has.
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
