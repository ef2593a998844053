// The load reports of all processes, and the resulting level, in the store.

import { FULL_LOAD, type LoadState, type QueueLoad } from '../pow/load.js';
import type { Store } from '../store/open-store.js';
import { loadScript } from '../store/redis-connection.js';

/** A price raised by hand. */
export interface RaisedByHand {
  /** Bits added to the floor. */
  readonly bits: number;
  /** Milliseconds until it ends. */
  readonly leftMs: number;
}

/** The load data in the store. */
export interface KnownLoad {
  /** The store's time, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly sum: LoadSum;
  /** The state of the rule, encoded; empty if there is none. */
  readonly stateText: string;
  readonly byHand: RaisedByHand | null;
}

/** A change of the rule's state, applied only if the stored state is still the known one. */
export interface LoadChange {
  readonly from: string;
  readonly to: LoadState;
}

/** Each method is one atomic step and throws StoreUnavailableError if the store does not respond. */
interface LoadRecord {
  /**
   * Writes the report of a process, applies a change, and returns the current data. May be repeated.
   * @param report null removes the report of the process; undefined keeps it
   */
  report(process: string, report?: LoadReport | null, change?: LoadChange | null): Promise<KnownLoad>;
  /**
   * Raises the price by hand for `forMs`, or with 0 bits ends that.
   * @returns whether it was raised before
   */
  raise(bits: number, forMs: number): Promise<boolean>;
}

/** A report of this age is ignored: its process has ended, or cannot reach the store. In milliseconds. */
export const SILENT_MS = 3000;

/** Longer than any level needs to fall, in milliseconds. */
const KEEP_MS = 600_000;

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** The keys, in one slot of Redis Cluster. @param prefix `cache.prefix` */
export function loadKeys(prefix: string): { readonly reports: string; readonly byHand: string } {
  return { reports: `${prefix}:{load}`, byHand: `${prefix}:{load}:hand` };
}

type Reply = [nowMs: number, state: string, bits: string, leftMs: number, ...reports: string[]];

/** Opens the record on Redis or on the embedded store. @param prefix `cache.prefix` */
export function openLoadRecord(store: Store, prefix: string): LoadRecord {
  const keys = loadKeys(prefix);
  const raise: LoadRecord['raise'] = async (bits, forMs) => {
    // A value of 0 bits ends at once.
    const before = await store.exchange(keys.byHand, String(bits), bits === 0 ? 1 : forMs);
    return before !== null && before !== '0';
  };
  return { report: store.kind === 'redis' ? onRedis(store, keys) : inFile(store, keys), raise };
}

type Keys = ReturnType<typeof loadKeys>;

function onRedis({ client }: Store & { kind: 'redis' }, keys: Keys): LoadRecord['report'] {
  const run = loadScript<Reply>(client, SCRIPTS, 'report_load');
  return async (process, report, change) => {
    const [nowMs, stateText, bits, leftMs, ...reports] = await run(
      [keys.reports, keys.byHand],
      [process, textOf(report), ...changeOf(change), SILENT_MS, KEEP_MS],
    );
    return { nowMs, stateText, byHand: byHandOf(bits, leftMs), sum: sumLoad(reports) };
  };
}

function inFile(store: Store & { kind: 'embedded' }, keys: Keys): LoadRecord['report'] {
  return (process, report, change) =>
    store.transact((transaction) => {
      const { nowMs } = transaction;
      const fields = parseFields(transaction.get(keys.reports));
      const text = textOf(report);
      if (text === '') fields.delete(`process:${process}`);
      else if (text !== UNCHANGED) fields.set(`process:${process}`, `${nowMs} ${text}`);
      const [from, to] = changeOf(change);
      if (to !== '' && (fields.get('state') ?? '') === from) fields.set('state', to);
      const reports: string[] = [];
      for (const [name, value] of fields) {
        if (name === 'state') continue;
        const [, at, told = ''] = /^(\d+) (.*)$/.exec(value) ?? [];
        if (at !== undefined && Math.abs(nowMs - Number(at)) < SILENT_MS) reports.push(told);
        else fields.delete(name);
      }
      const lines = [...fields].map(([name, value]) => `${name}=${value}`).join('\n');
      if (lines === '') transaction.remove(keys.reports);
      else transaction.put(keys.reports, lines, nowMs + KEEP_MS);
      const bits = transaction.get(keys.byHand) ?? '';
      const leftMs = (transaction.expiryOf(keys.byHand) ?? nowMs) - nowMs;
      return {
        nowMs,
        stateText: fields.get('state') ?? '',
        byHand: byHandOf(bits, leftMs),
        sum: sumLoad(reports),
      };
    });
}

/** Keeps the report of a process. */
const UNCHANGED = '-';

function textOf(report: LoadReport | null | undefined): string {
  if (report === undefined) return UNCHANGED;
  return report === null ? '' : formatLoadReport(report);
}

function changeOf(change: LoadChange | null | undefined): [from: string, to: string] {
  return change == null ? ['', ''] : [change.from, formatLoadState(change.to)];
}

function byHandOf(bits: string, leftMs: number): RaisedByHand | null {
  return /^[1-9]\d?$/.test(bits) && leftMs > 0 ? { bits: Number(bits), leftMs } : null;
}

function parseFields(text: string | undefined): Map<string, string> {
  const lines = text === undefined || text === '' ? [] : text.split('\n');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

/** Returns the encoded state of the rule: the level and both times. */
function formatLoadState({ level, heldMs, overMs }: LoadState): string {
  return `${level} ${heldMs} ${overMs}`;
}

/** Parses the encoded state of the rule; returns null if it is malformed. */
export function parseLoadState(text: string): LoadState | null {
  const [, level, heldMs, overMs] = /^(\d{1,2}) (\d{1,15}) (\d{1,15})$/.exec(text) ?? [];
  if (level === undefined) return null;
  return { level: Number(level), heldMs: Number(heldMs), overMs: Number(overMs) };
}

/** The queues with reported load. */
const QUEUES = ['passwords', 'drawings'] as const;
export type QueueName = (typeof QUEUES)[number];

/** The work of one process in a second. */
export interface LoadReport {
  /** Issued challenges. */
  readonly issued: number;
  /** Challenges rejected by the limit of an address, and passwords and drawings rejected by a full queue. */
  readonly refused: number;
  /** The load of its queues; missing for a queue that it does not have. */
  readonly queues: Readonly<Partial<Record<QueueName, QueueLoad>>>;
}

/** The work of all processes in a second. */
export interface LoadSum {
  readonly processes: number;
  readonly issued: number;
  readonly refused: number;
  /** The mean over the processes with the queue; 0 without one. */
  readonly queues: Readonly<Record<QueueName, QueueLoad>>;
}

/** Longest reported count; a process may not have reached the store for a while. */
const MOST = 9_999_999;

/** Returns an encoded report: both counts, then the load of each queue in thousandths, `-` without one. */
function formatLoadReport({ issued, refused, queues }: LoadReport): string {
  const loads = QUEUES.map((name) => {
    const load = queues[name];
    return load === undefined ? '-' : String(Math.round(load * 1000));
  });
  return [Math.min(issued, MOST), Math.min(refused, MOST), ...loads].join(' ');
}

const REPORT = /^(\d{1,7}) (\d{1,7}) (-|\d{1,4}) (-|\d{1,4})$/;

/** Parses a report; returns null if it is malformed, or for an impossible load. */
function parseLoadReport(text: string): LoadReport | null {
  const [, issued, refused, ...loads] = REPORT.exec(text) ?? [];
  if (issued === undefined) return null;
  const queues: Partial<Record<QueueName, QueueLoad>> = {};
  for (const [at, name] of QUEUES.entries()) {
    const load = loads[at];
    if (load === '-') continue;
    const value = Number(load) / 1000;
    if (value > FULL_LOAD) return null;
    queues[name] = value;
  }
  return { issued: Number(issued), refused: Number(refused), queues };
}

/** Adds up the reports of all processes. Malformed ones are ignored. */
export function sumLoad(texts: readonly string[]): LoadSum {
  const reports = texts.map(parseLoadReport).filter((report) => report !== null);
  const total = (of: (report: LoadReport) => number) => reports.reduce((sum, report) => sum + of(report), 0);
  const mean = (name: QueueName) => {
    const loads = reports.flatMap(({ queues }) => queues[name] ?? []);
    return loads.length === 0 ? 0 : loads.reduce((sum, load) => sum + load, 0) / loads.length;
  };
  return {
    processes: reports.length,
    issued: total(({ issued }) => issued),
    refused: total(({ refused }) => refused),
    queues: { passwords: mean('passwords'), drawings: mean('drawings') },
  };
}
