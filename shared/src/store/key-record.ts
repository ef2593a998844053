// The record of which keys the nodes run, so that a command can say when one may be changed.

import { type Store, storeTimeMs } from './open-store.js';
import { loadScript } from './redis-script.js';
import { asStoreError, StoreUnavailableError } from './store-errors.js';

/** Name of the record: on Redis a hash, on the embedded store one text of lines. */
export const KEY_RECORD_KEY = 'session:keys';

/** The keys of a node: for each variable the ids of its list, in order. */
export interface NodeKeys {
  /** Whether it makes tokens (with the first of each list), or only verifies them. */
  readonly makes: boolean;
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

/** What all nodes have reported. Times are the store's, in milliseconds since 1970. */
export interface ReportedKeys {
  readonly nowMs: number;
  /** When the record began; undefined when there is none. */
  readonly sinceMs: number | undefined;
  readonly nodes: readonly NodeKeys[];
  /** When a node last said that it makes tokens with a key, by variable and id with a space between them. */
  readonly lastUsedMs: ReadonlyMap<string, number>;
}

/** Every method throws StoreUnavailableError when the store does not answer. */
export interface KeyRecord {
  /** Writes what a node runs now; undefined when it stops. */
  report(node: string, keys: NodeKeys, running: boolean): Promise<void>;
  read(): Promise<ReportedKeys>;
}

/** How often a node reports, in milliseconds. */
export const REPORT_EVERY_MS = 3_600_000;

/** A node that has not reported for so long is gone, in milliseconds. */
export const SILENCE_MS = 2.5 * REPORT_EVERY_MS;

/** Longer than any token lives: a year and a day, in milliseconds. */
const KEEP_MS = 366 * 86_400_000;

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** The record on a store of either kind. */
export function openKeyRecord(store: Store): KeyRecord {
  if (store.kind === 'redis') {
    const report = loadScript<number>(store.client, SCRIPTS, 'key_report');
    return {
      async report(node, keys, running) {
        const text = running ? formatKeys(keys) : '';
        await report([KEY_RECORD_KEY], [node, text, KEEP_MS, SILENCE_MS, ...madeWith(keys)]);
      },
      async read() {
        try {
          const fields = await store.client.hgetall(KEY_RECORD_KEY);
          return readFields(new Map(Object.entries(fields)), await storeTimeMs(store));
        } catch (error) {
          throw error instanceof StoreUnavailableError ? error : asStoreError(error);
        }
      },
    };
  }
  return {
    report: (node, keys, running) =>
      store.transact((transaction) => {
        const { nowMs } = transaction;
        const fields = parseLines(transaction.get(KEY_RECORD_KEY));
        if (!fields.has('since')) fields.set('since', String(nowMs));
        if (running) fields.set(`node:${node}`, `${nowMs} ${formatKeys(keys)}`);
        else fields.delete(`node:${node}`);
        for (const name of madeWith(keys)) fields.set(`used:${name}`, String(nowMs));
        for (const [name, value] of fields) {
          const silentMs = nowMs - Number.parseInt(value, 10);
          if (name.startsWith('node:') && silentMs >= SILENCE_MS) fields.delete(name);
          if (name.startsWith('used:') && silentMs >= KEEP_MS) fields.delete(name);
        }
        const text = [...fields].map(([name, value]) => `${name}=${value}`).join('\n');
        transaction.put(KEY_RECORD_KEY, text, nowMs + KEEP_MS);
      }),
    read: () =>
      store.transact((transaction) =>
        readFields(parseLines(transaction.get(KEY_RECORD_KEY)), transaction.nowMs),
      ),
  };
}

/** Names of the keys that a node makes tokens with: variable and id. */
function madeWith({ makes, ids }: NodeKeys): string[] {
  return makes ? Object.entries(ids).map(([variable, [first]]) => `${variable} ${first}`) : [];
}

/** `makes` or `verifies`, then `VARIABLE:id,id` for each variable. */
function formatKeys({ makes, ids }: NodeKeys): string {
  const lists = Object.entries(ids).map(([variable, list]) => `${variable}:${list.join(',')}`);
  return [makes ? 'makes' : 'verifies', ...lists].join(' ');
}

function parseKeys(text: string): NodeKeys {
  const [role, ...lists] = text.split(' ');
  const ids = lists.map((list): [string, string[]] => {
    const at = list.indexOf(':');
    return [list.slice(0, at), list.slice(at + 1).split(',')];
  });
  return { makes: role === 'makes', ids: Object.fromEntries(ids) };
}

function parseLines(text: string | undefined): Map<string, string> {
  const lines = text === undefined ? [] : text.split('\n');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function readFields(fields: ReadonlyMap<string, string>, nowMs: number): ReportedKeys {
  const nodes: NodeKeys[] = [];
  const lastUsedMs = new Map<string, number>();
  for (const [name, value] of fields) {
    const atMs = Number.parseInt(value, 10);
    if (name.startsWith('used:')) lastUsedMs.set(name.slice('used:'.length), atMs);
    else if (name.startsWith('node:') && nowMs - atMs < SILENCE_MS) {
      nodes.push(parseKeys(value.slice(value.indexOf(' ') + 1)));
    }
  }
  const since = fields.get('since');
  return { nowMs, sinceMs: since === undefined ? undefined : Number(since), nodes, lastUsedMs };
}
