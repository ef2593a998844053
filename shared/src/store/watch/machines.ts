// Records which machines use an embedded store. The locks of its file do not reach another machine.

import { readFileSync } from 'node:fs';
import type { EmbeddedStore } from '../embedded-store.js';

/** What the keys of the record begin with; the rest is the id of a machine. */
const MACHINE_PREFIX = 'machine:';

/** How often the processes of a machine renew its entry, in milliseconds. */
export const RENEW_EVERY_MS = 15_000;

const KEEP_MS = 3 * RENEW_EVERY_MS;

/** An entry of the record. */
export interface MachineEntry {
  /** The id of the machine. */
  readonly id: string;
  /** The name of the host, or of the container, that wrote the entry. */
  readonly host: string;
  /** Changes with each renewal. */
  readonly text: string;
}

/**
 * The id of the running kernel, the same in all containers of a machine; undefined if the system has none. It changes with
 * each start of the machine.
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
 * Returns the entries of other machines. One that does not change is of a machine that has ended, or of this one before it
 * was started anew. @throws StoreUnavailableError
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

/** The entries that were renewed between two looks. */
export function renewedSince(before: readonly MachineEntry[], now: readonly MachineEntry[]): MachineEntry[] {
  return now.filter(({ id, text }) => before.some((entry) => entry.id === id && entry.text !== text));
}
