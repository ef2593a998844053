// What all processes report of their load, and the level that follows from it, in the store.

import type { LoadState } from '../pow/load.js';
import type { Store } from '../store/open-store.js';
import { loadScript } from '../store/redis-script.js';
import { formatLoadReport, type LoadReport, type LoadSum, sumLoad } from './load-report.js';

/** A price that somebody has raised by hand. */
export interface RaisedByHand {
  /** Bits that are added to the floor. */
  readonly bits: number;
  /** Milliseconds until it ends. */
  readonly leftMs: number;
}

/** What the store knows of the load. */
export interface KnownLoad {
  /** The store's time, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly sum: LoadSum;
  /** What the rule remembers, as it is written; empty if that is nothing. */
  readonly stateText: string;
  readonly byHand: RaisedByHand | null;
}

/** A change of what the rule remembers: made only if it still is what the process knows. */
export interface LoadChange {
  readonly from: string;
  readonly to: LoadState;
}

/** Each method is one atomic step and throws StoreUnavailableError if the store does not answer. */
export interface LoadRecord {
  /**
   * Writes the report of a process, makes a change, and returns what there is now. May be repeated.
   * @param report null removes that of the process; undefined leaves it
   */
  report(process: string, report?: LoadReport | null, change?: LoadChange | null): Promise<KnownLoad>;
  /**
   * Raises the price by hand for `forMs`, or with 0 bits no more.
   * @returns whether it was raised before
   */
  raise(bits: number, forMs: number): Promise<boolean>;
}

/** A report of this age does not count: its process has ended, or cannot reach the store. In milliseconds. */
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

/** Leaves the report of a process as it is. */
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

/** Returns what the rule remembers as text: the level and both times. */
export function formatLoadState({ level, heldMs, overMs }: LoadState): string {
  return `${level} ${heldMs} ${overMs}`;
}

/** Reads what the rule remembers; returns null for a text of another form. */
export function parseLoadState(text: string): LoadState | null {
  const [, level, heldMs, overMs] = /^(\d{1,2}) (\d{1,15}) (\d{1,15})$/.exec(text) ?? [];
  if (level === undefined) return null;
  return { level: Number(level), heldMs: Number(heldMs), overMs: Number(overMs) };
}
