// Opens the audit trail of a process: to standard output or to a file, and its first events.

import { closeSync, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AuditLine, AuditName } from '../schemas/audit-events.js';
import { ConfigurationError } from '../schemas/configuration-error.js';
import {
  type AuditRetention,
  type AuditRotation,
  createAuditRotation,
  ROTATION_CHECK_MS,
} from './audit-rotation.js';
import { type AuditTrail, createAuditTrail } from './audit-trail.js';

/** The part of a logger that this file uses. */
interface AuditLog {
  error(about: object, message: string): void;
}

/** Counts events for metrics. */
export interface AuditCounters {
  countEvent(event: AuditName): void;
  countSuppressed(event: AuditName): void;
  countLost(): void;
}

/**
 * Opens the destination of the lines: `output`, or the file `AUDIT_LOG`.
 *
 * @param settings.days `AUDIT_LOG_DAYS`; without it the file is neither rotated nor removed
 * @param settings.root folder that a relative path starts from
 * @param settings.output destination without a path: the standard output
 * @throws ConfigurationError with one line if the file cannot be opened
 */
export function openAuditSink(settings: {
  readonly path: string | undefined;
  readonly days?: number | undefined;
  readonly root: string;
  readonly output: { write(text: string): void };
}): AuditSink {
  const { path, days, root, output } = settings;
  if (path !== undefined)
    return openAuditFile(resolve(root, path), days === undefined ? undefined : { days });
  return { write: (line) => output.write(`${line}\n`), close() {} };
}

/** Opens the stream on a sink. Lines that cannot be written are counted and logged once; nothing else fails. */
export function openAuditTrail(deps: {
  readonly service: AuditLine['service'];
  readonly sink: AuditSink;
  readonly log: AuditLog;
  readonly counters: AuditCounters;
}): AuditTrail {
  const { service, sink, log, counters } = deps;
  return createAuditTrail({
    service,
    sink,
    onEvent: counters.countEvent,
    onSuppressed: counters.countSuppressed,
    onLost(error, isFirst) {
      counters.countLost();
      if (isFirst) log.error({ err: error }, 'security events cannot be written: check AUDIT_LOG');
    },
  });
}

/**
 * Writes `service_started` and, in test mode, `test_mode_on`.
 * @param about.keys key ids by variable, in the order of its list
 * @param about.options config fingerprint
 */
export function writeStartEvents(
  trail: AuditTrail,
  about: {
    readonly keys: Readonly<Record<string, string[]>>;
    readonly options: string;
    readonly isTestMode: boolean;
  },
): void {
  const { keys, options, isTestMode } = about;
  trail.write({ event: 'service_started', keys, options });
  if (isTestMode) trail.write({ event: 'test_mode_on' });
}

/** Receives audit lines. */
export interface AuditSink {
  /**
   * Writes one line, without its line break, before it returns.
   * @throws Error of the file system, for example if the disk is full; the line is lost
   */
  write(line: string): void;
  close(): void;
}

/** The stream reveals attacked accounts, so only the user of the service may read it. */
const MODE = 0o600;

/**
 * Opens a file for appending; creates it with mode 0600 if it is missing. If log rotation has renamed or removed the file,
 * the next line opens it again. Several processes may append to one file.
 *
 * @param path absolute path
 * @param retention rotates the file each day and removes old ones
 * @throws ConfigurationError with one line if the file cannot be opened
 */
export function openAuditFile(path: string, retention?: AuditRetention): AuditSink {
  let file: number;
  let rotation: AuditRotation | undefined;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // Opening a pipe would wait for its reader.
    if (found !== undefined && !found.isFile() && !found.isCharacterDevice())
      throw new Error('it is not a file');
    file = openSync(path, 'a', MODE);
  } catch (error) {
    throw new ConfigurationError([`AUDIT_LOG ${path} cannot be opened: ${(error as Error).message}`]);
  }
  try {
    rotation = retention === undefined ? undefined : createAuditRotation(path, retention);
  } catch (error) {
    closeSync(file);
    throw new ConfigurationError([
      `AUDIT_LOG_DAYS needs write access to the folder of AUDIT_LOG: ${(error as Error).message}`,
    ]);
  }
  // A service without events removes old files too.
  const timer = rotation === undefined ? undefined : setInterval(rotation.rotate, ROTATION_CHECK_MS).unref();
  let opened = identityOf(fstatSync(file));
  let isTorn = false;

  function followRotation(): void {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && identityOf(found) === opened) return;
    const next = openSync(path, 'a', MODE);
    closeSync(file);
    file = next;
    opened = identityOf(fstatSync(file));
    isTorn = false;
  }

  return {
    write(line) {
      rotation?.rotateDaily();
      followRotation();
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
      const written = writeSync(file, bytes);
      isTorn = written < bytes.length;
      if (isTorn) throw new Error('the disk is full');
    },
    close() {
      clearInterval(timer);
      closeSync(file);
    },
  };
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
