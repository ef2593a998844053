// Watches an embedded store: its file, its machines, and the cause of a failure.

import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EmbeddedStore } from '../embedded-store.js';
import { explainDatabaseError } from '../open-database.js';
import { startPeriodicTask } from '../periodic-task.js';
import { filesOpenToOthers } from '../private-file.js';
import { RESULT, resultCodeOf } from '../sqlite.js';
import type { FailureCause, StoreLog } from './failure-cause.js';

/** The watch of an embedded store. */
export interface EmbeddedWatch {
  /** Whether the path leads to another file now, or to none: this process still uses the one that it opened. Warns once. */
  isReplaced(): boolean;
  stop(): Promise<void>;
}

/**
 * Warns of problems of the file, once, and of another machine each time one appears.
 * @param isUser whether this process uses the store, and so records its machine there
 * @param renewEveryMs pause between two checks of the record, in milliseconds
 */
export function watchEmbedded(
  store: EmbeddedStore,
  { log, isUser }: { readonly log: StoreLog; readonly isUser: boolean },
  renewEveryMs = RENEW_EVERY_MS,
): EmbeddedWatch {
  const opened = identityOf(store.path);
  let toldOfFile = false;
  const isReplaced = () => {
    const isOther = identityOf(store.path) !== opened;
    if (isOther && !toldOfFile) {
      log.warn({ path: store.path }, 'the file of the store was replaced or removed: restart this process');
    }
    toldOfFile = isOther;
    return isOther;
  };
  for (const path of filesOpenToOthers(store.path)) {
    log.warn({ path }, 'other users of this machine may read this file of the store: it needs mode 0600');
  }
  const { network } = lookAtPlace(store.path);
  if (network !== undefined) {
    log.warn({ path: store.path }, `the store is a file on ${network}: it needs a disk of this machine`);
  }
  const own = machineId();
  if (!isUser || own === undefined) return { isReplaced, async stop() {} };
  let before: readonly MachineEntry[] = [];
  const told = new Set<string>();
  const { stop } = startPeriodicTask(
    store,
    async () => {
      isReplaced();
      await recordMachine(store, own);
      const now = await otherMachines(store);
      for (const { id, host } of renewedSince(before, now)) {
        if (!told.has(id)) {
          log.warn(
            { path: store.path, host },
            'another machine uses the file of this store, which destroys it: several machines need Redis',
          );
        }
        told.add(id);
      }
      before = now;
    },
    // Users of the store report that it does not respond.
    { everyMs: renewEveryMs, onFailure: () => {} },
  );
  return { isReplaced, stop };
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

const NAMES: Readonly<Record<number, string>> = {
  [RESULT.busy]: 'locked',
  [RESULT.locked]: 'locked',
  [RESULT.readOnly]: 'read_only',
  [RESULT.ioError]: 'disk_fails',
  [RESULT.corrupt]: 'damaged',
  [RESULT.full]: 'disk_full',
  [RESULT.cannotOpen]: 'not_permitted',
  [RESULT.noDatabase]: 'damaged',
};

/** Returns why an operation failed; undefined if the error is not from SQLite. */
export function embeddedFailureCause(error: unknown): FailureCause | undefined {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const found = cause instanceof Error ? cause : error;
  const code = resultCodeOf(found ?? {});
  if (code === undefined) return undefined;
  // A full disk still accepts data that fits into the file, so some operations succeed.
  const isPartial = code === RESULT.full || code === RESULT.ioError;
  return { name: NAMES[code] ?? 'other', text: explainDatabaseError(found), isPartial };
}

/** Properties of a file's location. */
export interface FilePlace {
  /** The network file system that the file is on, such as `NFS`; undefined on a disk of this machine. */
  readonly network: string | undefined;
  /** Whether a program provides the file system (FUSE): it may be a local disk or a network. */
  readonly isFuse: boolean;
  /** Whether the file was mounted without its folder: SQLite then uses other files beside it. */
  readonly isMountedAlone: boolean;
  /** Whether the file has a second name (a hard link), beside which SQLite would use other files. */
  readonly hasSecondName: boolean;
}

/** The numbers of `statfs(2)`, from the headers of Linux. */
const NETWORKS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'SMB',
  16914839: '9p',
  12805120: 'CephFS',
  198183888: 'Lustre',
  1397113167: 'AFS',
};
const FUSE = 0x65735546;

/** Examines a file, or its folder if it does not exist yet. Outside Linux only its names are known. */
export function lookAtPlace(path: string): FilePlace {
  const type = process.platform === 'linux' ? statfsSync(existingPart(path)).type >>> 0 : 0;
  return {
    network: NETWORKS[type],
    isFuse: type === FUSE,
    isMountedAlone: mountPoints().includes(path),
    hasSecondName: (statSync(path, { throwIfNoEntry: false })?.nlink ?? 1) > 1,
  };
}

function existingPart(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingPart(dirname(path));
}

/** The mounts in this process's view of the file systems; empty if the system does not report them. */
function mountPoints(): string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    // Blanks in a path are written as \040.
    return lines.map((line) => (line.split(' ')[4] ?? '').replaceAll('\\040', ' '));
  } catch {
    return [];
  }
}

/** The prefix of the record's keys; the rest is the id of a machine. */
const MACHINE_PREFIX = 'machine:';

/** Interval of renewing a machine's entry, in milliseconds. */
export const RENEW_EVERY_MS = 15_000;

const KEEP_MS = 3 * RENEW_EVERY_MS;

/** An entry of the record. */
interface MachineEntry {
  /** The id of the machine. */
  readonly id: string;
  /** The host or container name of the entry's writer. */
  readonly host: string;
  /** Changes with each renewal. */
  readonly text: string;
}

/**
 * The id of the running kernel, the same in all containers of a machine; undefined if the system has none. It changes with
 * each boot.
 */
export function machineId(): string | undefined {
  return readKernel('random/boot_id');
}

function readKernel(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/kernel/${name}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Renews the entry of a machine. @throws StoreUnavailableError */
export async function recordMachine(store: EmbeddedStore, id: string): Promise<void> {
  await store.exchange(`${MACHINE_PREFIX}${id}`, `${readKernel('hostname')} ${Date.now()}`, KEEP_MS);
}

/**
 * Returns the entries of other machines. An unchanged entry belongs to a machine that has ended, or to this one before its
 * last boot. @throws StoreUnavailableError
 */
export async function otherMachines(store: EmbeddedStore): Promise<MachineEntry[]> {
  const own = `${MACHINE_PREFIX}${machineId()}`;
  const keys = (await store.keys(MACHINE_PREFIX)).filter((key) => key !== own);
  const texts = await Promise.all(keys.map((key) => store.read(key)));
  return texts.flatMap((text, at) =>
    text === undefined
      ? []
      : [{ id: keys[at]?.slice(MACHINE_PREFIX.length) ?? '', host: text.split(' ')[0] ?? '', text }],
  );
}

/** The entries that were renewed between two checks. */
export function renewedSince(before: readonly MachineEntry[], now: readonly MachineEntry[]): MachineEntry[] {
  return now.filter(({ id, text }) => before.some((entry) => entry.id === id && entry.text !== text));
}
