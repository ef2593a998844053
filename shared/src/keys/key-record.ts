// Records the keys of the nodes, so that a command can tell when a key may be removed.

import type { Store } from '../store/open-store.js';
import { asStoreError, loadScript } from '../store/redis-connection.js';
import { StoreUnavailableError } from '../store/store.js';

/** The key of the record: on Redis a hash, on the embedded store one text of lines. */
export const KEY_RECORD_KEY = 'session:keys';

/** The keys of a node: for each variable the key ids of its list, in order. */
export interface NodeKeys {
  /** Whether the node makes tokens (with the first key of each list) or only verifies them. */
  readonly makes: boolean;
  readonly ids: Readonly<Record<string, readonly string[]>>;
  /** The longest lifetimes of the node's tokens, in seconds, by name. */
  readonly lifetimes?: Readonly<Record<string, number>>;
}

/** A reported lifetime. */
export interface ReportedLifetime {
  readonly name: string;
  readonly seconds: number;
  /** Time of a node's last report of it. */
  readonly lastMs: number;
}

/** The state that a service process reports every few seconds. */
export interface ProcessState {
  /** Its clock, in milliseconds since 1970. */
  readonly clockMs: number;
  readonly hasTrustProxy: boolean;
  /** Where it runs, for people: host and process id. */
  readonly place: string;
}

/** The state of a process, and the store's time of the report. */
export interface SeenProcess extends ProcessState {
  readonly atMs: number;
}

/** A node in the record. */
export interface ReportedNode extends NodeKeys {
  /** Time of its first report; undefined for a node of an older version. */
  readonly beganMs?: number;
  /** Undefined for an application, and for a service of an older version. */
  readonly seen?: SeenProcess;
}

/** The reports of all nodes. Times are the store's, in milliseconds since 1970. */
export interface ReportedKeys {
  readonly nowMs: number;
  /** Creation time of the record; undefined if there is none. */
  readonly sinceMs: number | undefined;
  /** Without their lifetimes; the most recent report first. */
  readonly nodes: readonly ReportedNode[];
  /** Time of the last report that a node makes tokens with a key, by variable and key id separated by a space. */
  readonly lastUsedMs: ReadonlyMap<string, number>;
  /** Empty if only older versions have reported. */
  readonly lifetimes: readonly ReportedLifetime[];
}

/** Every method throws StoreUnavailableError if the store does not respond. */
interface KeyRecord {
  /** Writes the keys of a node, or removes them if it is no longer `running`. */
  report(node: string, keys: NodeKeys, running: boolean): Promise<void>;
  /** Writes that a node's process runs, and its state. */
  see(node: string, state: ProcessState): Promise<void>;
  read(): Promise<ReportedKeys>;
}

/** Report interval of a node, in milliseconds. */
export const REPORT_EVERY_MS = 3_600_000;

/** Interval of state reports of a service process, in milliseconds. */
export const SEEN_EVERY_MS = 5_000;

/** A node counts as gone after this silence, in milliseconds. */
export const SILENCE_MS = 2.5 * REPORT_EVERY_MS;

/** Longer than the lifetime of any token: a year and a day, in milliseconds. */
const KEEP_MS = 366 * 86_400_000;

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** Opens the record on Redis or on the embedded store. */
export function openKeyRecord(store: Store): KeyRecord {
  if (store.kind === 'redis') {
    const report = loadScript<number>(store.client, SCRIPTS, 'key_report');
    const see = loadScript<number>(store.client, SCRIPTS, 'process_seen');
    return {
      async report(node, keys, running) {
        const text = running ? formatKeys(keys) : '';
        await report([KEY_RECORD_KEY], [node, text, KEEP_MS, SILENCE_MS, ...stampedBy(keys)]);
      },
      async see(node, state) {
        await see([KEY_RECORD_KEY], [node, formatState(state), KEEP_MS]);
      },
      async read() {
        try {
          const fields = await store.client.hgetall(KEY_RECORD_KEY);
          return readFields(new Map(Object.entries(fields)), await store.timeMs());
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
        if (running) {
          fields.set(`node:${node}`, `${nowMs} ${formatKeys(keys)}`);
          if (!fields.has(`began:${node}`)) fields.set(`began:${node}`, String(nowMs));
        } else {
          fields.delete(`node:${node}`);
        }
        for (const name of stampedBy(keys)) fields.set(name, String(nowMs));
        for (const [name, value] of fields) {
          const silentMs = nowMs - Number.parseInt(value, 10);
          if (name.startsWith('node:') && silentMs >= SILENCE_MS) fields.delete(name);
          if (/^(?:used|life):/.test(name) && silentMs >= KEEP_MS) fields.delete(name);
        }
        for (const name of fields.keys()) {
          const isAbout = /^(?:began|seen):/.test(name);
          if (isAbout && !fields.has(name.replace(/^\w+/, 'node'))) fields.delete(name);
        }
        transaction.put(KEY_RECORD_KEY, formatLines(fields), nowMs + KEEP_MS);
      }),
    see: (node, state) =>
      store.transact((transaction) => {
        const { nowMs } = transaction;
        const fields = parseLines(transaction.get(KEY_RECORD_KEY));
        fields.set(`seen:${node}`, `${nowMs} ${formatState(state)}`);
        transaction.put(KEY_RECORD_KEY, formatLines(fields), nowMs + KEEP_MS);
      }),
    read: () =>
      store.transact((transaction) =>
        readFields(parseLines(transaction.get(KEY_RECORD_KEY)), transaction.nowMs),
      ),
  };
}

/** Returns the fields that a report sets to the current time: the keys for making tokens, and lifetimes. */
function stampedBy({ makes, ids, lifetimes = {} }: NodeKeys): string[] {
  const used = makes ? Object.entries(ids).map(([variable, [first]]) => `used:${variable} ${first}`) : [];
  return [...used, ...Object.entries(lifetimes).map(([name, seconds]) => `life:${name} ${seconds}`)];
}

/** Formats keys as `makes` or `verifies`, then `VARIABLE:id,id` for each variable. */
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

/** Formats a state as the clock, `proxy` or `-`, and the place, which may contain spaces. */
function formatState({ clockMs, hasTrustProxy, place }: ProcessState): string {
  return `${clockMs} ${hasTrustProxy ? 'proxy' : '-'} ${place}`;
}

function parseSeen(text: string): SeenProcess {
  const [atMs, clockMs, proxy, ...place] = text.split(' ');
  return {
    atMs: Number(atMs),
    clockMs: Number(clockMs),
    hasTrustProxy: proxy === 'proxy',
    place: place.join(' '),
  };
}

function formatLines(fields: ReadonlyMap<string, string>): string {
  return [...fields].map(([name, value]) => `${name}=${value}`).join('\n');
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
  const nodes: { readonly atMs: number; readonly keys: ReportedNode }[] = [];
  const lastUsedMs = new Map<string, number>();
  const lifetimes: ReportedLifetime[] = [];
  for (const [name, value] of fields) {
    const atMs = Number.parseInt(value, 10);
    if (name.startsWith('used:')) lastUsedMs.set(name.slice('used:'.length), atMs);
    else if (name.startsWith('life:')) {
      const [what = '', seconds] = name.slice('life:'.length).split(' ');
      lifetimes.push({ name: what, seconds: Number(seconds), lastMs: atMs });
    } else if (name.startsWith('node:') && nowMs - atMs < SILENCE_MS) {
      const began = fields.get(name.replace('node:', 'began:'));
      const since = began === undefined ? {} : { beganMs: Number(began) };
      const state = fields.get(name.replace('node:', 'seen:'));
      const seen = state === undefined ? {} : { seen: parseSeen(state) };
      nodes.push({ atMs, keys: { ...parseKeys(value.slice(value.indexOf(' ') + 1)), ...since, ...seen } });
    }
  }
  const since = fields.get('since');
  return {
    nowMs,
    sinceMs: since === undefined ? undefined : Number(since),
    nodes: nodes.sort((one, other) => other.atMs - one.atMs).map(({ keys }) => keys),
    lastUsedMs,
    lifetimes,
  };
}
