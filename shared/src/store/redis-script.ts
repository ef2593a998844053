// Loads a Lua script from its file and makes a function of it.

import { readFileSync } from 'node:fs';
import type { RedisClient } from './redis-connection.js';
import { asStoreError } from './redis-connection.js';
import { type StoreObserver, secondsSince } from './store.js';

/** A script as a function: its keys, its arguments, its reply. Throws StoreUnavailableError when there is none. */
export type RedisScript<Reply> = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<Reply>;

const observers = new WeakMap<RedisClient, StoreObserver>();

/** Reports every operation of a client to an observer from now on. */
export function observeClient(client: RedisClient, observer: StoreObserver): void {
  observers.set(client, observer);
}

/**
 * Reads a `.lua` file and registers it with a client. The client sends its SHA and, when the server has
 * forgotten the script, its text.
 *
 * @param folder folder of the script, as a file URL ending in `/`
 * @param name the file's name without `.lua`; also the command's name in the client
 */
export function loadScript<Reply>(client: RedisClient, folder: URL, name: string): RedisScript<Reply> {
  const command = `tollgate_${name}`;
  client.defineCommand(command, { lua: readFileSync(new URL(`${name}.lua`, folder), 'utf8') });
  const run = (client as unknown as Record<string, (...args: unknown[]) => Promise<Reply>>)[command];
  if (run === undefined) throw new TypeError(`the client did not define ${command}`);
  return async (keys, args) => replyOf(client, run.call(client, keys.length, ...keys, ...args));
}

/**
 * The reply to a command that was sent just now, told to the observer of the client.
 * @throws StoreUnavailableError when there is none
 */
export async function replyOf<T>(client: RedisClient, reply: Promise<T>): Promise<T> {
  const observer = observers.get(client);
  const beganMs = performance.now();
  try {
    const value = await reply;
    observer?.took(secondsSince(beganMs));
    return value;
  } catch (error) {
    observer?.failed();
    throw asStoreError(error);
  }
}
