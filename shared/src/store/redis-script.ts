// Loads Lua scripts as functions, and measures the commands of a client.

import { readFileSync } from 'node:fs';
import { within } from './answer-limit.js';
import { asStoreError, commandTimeoutOf, type RedisClient } from './redis-connection.js';
import { type StoreObserver, secondsSince } from './store.js';

/** A script as a function of its keys and arguments. Throws StoreUnavailableError if there is no reply. */
export type RedisScript<Reply> = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<Reply>;

const observers = new WeakMap<RedisClient, StoreObserver[]>();

/** Reports every operation of a client to an observer from now on, in addition to those before it. */
export function observeClient(client: RedisClient, observer: StoreObserver): void {
  observers.set(client, [...observersOf(client), observer]);
}

function observersOf(client: RedisClient): readonly StoreObserver[] {
  return observers.get(client) ?? [];
}

/**
 * Reads a `.lua` file and registers it with a client. The client sends the SHA of the script, and its text if the server
 * does not know it.
 *
 * @param folder folder of the script, as a file URL ending in `/`
 * @param name name of the file without `.lua`
 */
export function loadScript<Reply>(client: RedisClient, folder: URL, name: string): RedisScript<Reply> {
  const command = `tollgate_${name}`;
  client.defineCommand(command, { lua: readFileSync(new URL(`${name}.lua`, folder), 'utf8') });
  const run = (client as unknown as Record<string, (...args: unknown[]) => Promise<Reply>>)[command];
  if (run === undefined) throw new TypeError(`the client did not define ${command}`);
  return (keys, args) => replyOf(client, run.call(client, keys.length, ...keys, ...args));
}

/**
 * Waits for the reply to a command that was just sent, and reports it to the observer of the client.
 * @throws StoreUnavailableError if there is no reply
 */
export async function replyOf<T>(client: RedisClient, reply: Promise<T>): Promise<T> {
  const startMs = performance.now();
  try {
    const value = await limited(client, reply);
    const seconds = secondsSince(startMs);
    for (const observer of observersOf(client)) observer.took(seconds);
    return value;
  } catch (error) {
    for (const observer of observersOf(client)) observer.failed(error);
    throw asStoreError(error);
  }
}

/** A cluster sends a command again and again while it looks for the master of its slot: the client has no limit for that. */
function limited<T>(client: RedisClient, reply: Promise<T>): Promise<T> {
  return client.isCluster ? within(commandTimeoutOf(client), reply) : reply;
}
