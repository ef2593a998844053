// What a process reports of its load, as text, and the sum of what all report.

import { FULL_LOAD, type QueueLoad } from '../pow/load.js';

/** The queues whose load is reported. */
export const QUEUES = ['passwords', 'drawings'] as const;
export type QueueName = (typeof QUEUES)[number];

/** What one process did in a second. */
export interface LoadReport {
  /** Challenges that were issued. */
  readonly issued: number;
  /** Challenges refused for the limit of an address, and passwords and drawings refused by a full queue. */
  readonly refused: number;
  /** The load of its queues; missing for one that it does not have. */
  readonly queues: Readonly<Partial<Record<QueueName, QueueLoad>>>;
}

/** What all processes did in a second. */
export interface LoadSum {
  readonly processes: number;
  readonly issued: number;
  readonly refused: number;
  /** The mean over the processes that have the queue; 0 without one. */
  readonly queues: Readonly<Record<QueueName, QueueLoad>>;
}

/** Longest count that is reported; a process may not have reached the store for a while. */
const MOST = 9_999_999;

/** Returns a report as text: both counts, then the load of each queue in thousandths, `-` without one. */
export function formatLoadReport({ issued, refused, queues }: LoadReport): string {
  const loads = QUEUES.map((name) => {
    const load = queues[name];
    return load === undefined ? '-' : String(Math.round(load * 1000));
  });
  return [Math.min(issued, MOST), Math.min(refused, MOST), ...loads].join(' ');
}

const REPORT = /^(\d{1,7}) (\d{1,7}) (-|\d{1,4}) (-|\d{1,4})$/;

/** Reads a report; returns null for a text of another form, and for a load that no queue can have. */
export function parseLoadReport(text: string): LoadReport | null {
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

/** Adds up the reports of all processes. A text that is no report counts for nothing. */
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
