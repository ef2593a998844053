// Reports the load of this process once a second while it has work, reads that of all, and derives the price.

import type { ChallengeStore, Issued } from '../challenges/store/challenge-store.js';
import { randomAlphanumerics } from '../crypto/random.js';
import {
  FULL_LOAD,
  type LoadState,
  levelAt,
  levelBits,
  loadLevels,
  NO_LOAD,
  nextLoadState,
  type QueueLoad,
} from '../pow/load.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import type { Store } from '../store/open-store.js';
import {
  type KnownLoad,
  type LoadChange,
  type LoadReport,
  type LoadSum,
  openLoadRecord,
  parseLoadState,
  type QueueName,
  sumLoad,
} from './load-record.js';

/** The current price by load. */
export interface LoadStatus {
  readonly level: number;
  /** The number of configured levels; 0 if the price ignores load. */
  readonly levels: number;
  /** Bits added to the floor, by source; the higher of both counts. */
  readonly bits: Readonly<Record<'load' | 'hand', number>>;
  /** Milliseconds until the price raised by hand ends; 0 without one. */
  readonly handLeftMs: number;
  /** The reports of all processes when this one last read them. */
  readonly sum: LoadSum;
}

/** The part of a logger that this file uses. */
export interface LoadLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** The dependencies of the watch. */
export interface LoadWatchOptions {
  readonly options: Pick<CaptchaOptions, 'cache' | 'load_levels'>;
  readonly log: LoadLog;
  /** Called when the price by hand was raised, changed or ended (null). */
  readonly onByHand?: (raised: { readonly bits: number; readonly minutes: number } | null) => void;
  /** Milliseconds of a monotonic clock; by default that of the process. */
  readonly now?: () => number;
}

/** The load of this process and of the others. Only `stop` and `look` wait for the store. */
export interface LoadWatch {
  /** Counts an issued challenge. */
  issued(): void;
  /** Counts a challenge rejected by the limit of an address. */
  refused(): void;
  /** Adds a queue. */
  queue(name: QueueName, bounds: QueueBounds): QueueMeter;
  /** Bits added to the floor of the price now. */
  raisedBits(): number;
  /** The currently known load. Reads the store in the background, so that an idle process's next look is up to date. */
  status(): LoadStatus;
  /** Reads and reports now. Rejects with StoreUnavailableError if the store does not respond. */
  look(): Promise<void>;
  /** Removes the report of this process. Call it before you close the store. */
  stop(): Promise<void>;
}

const EVERY_MS = 1000;

/** No report: only the reports of others are read. */
const NOTHING = () => undefined;

/** Starts the watch. It uses the store only from the first work until a second after the last. */
export function watchLoad(
  store: Store,
  { options, log, onByHand = () => {}, now = () => performance.now() }: LoadWatchOptions,
): LoadWatch {
  const levels = loadLevels(options.load_levels);
  const record = openLoadRecord(store, options.cache.prefix);
  const process = randomAlphanumerics(12);
  const meters = new Map<QueueName, QueueMeter>();
  let counts = { issued: 0, refused: 0 };
  let hasWork = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let hasReported = false;
  let change: LoadChange | null = null;
  let known: KnownLoad = { nowMs: 0, stateText: '', byHand: null, sum: sumLoad([]) };
  /** Time of the reading, on the monotonic clock. */
  let knownAtMs = now();
  let toldLevel = 0;
  let toldBits = 0;

  const passedMs = () => now() - knownAtMs;
  const statusNow = () => statusOf(known, levels, passedMs());

  const tell = () => {
    const { level, bits: added } = statusNow();
    if (level !== toldLevel) {
      const about = { level, bits: added.load, load: known.sum.queues.passwords };
      if (level > toldLevel) log.warn(about, 'the price of work rises by load');
      else log.info(about, 'the price of work falls again');
      toldLevel = level;
    }
    const bits = added.hand;
    if (bits === toldBits) return;
    toldBits = bits;
    const minutes = Math.max(1, Math.round((known.byHand?.leftMs ?? 0) / 60_000));
    onByHand(bits === 0 ? null : { bits, minutes });
  };

  /** The work of this process since the last report. */
  const takeReport = (): LoadReport => {
    const queues = Object.fromEntries([...meters].map(([name, meter]) => [name, meter.take()]));
    const taken = { ...counts, queues };
    counts = { issued: 0, refused: 0 };
    return taken;
  };

  async function exchange(report: LoadReport | undefined): Promise<void> {
    const read = await record.report(process, report, change);
    hasReported ||= report !== undefined;
    known = read;
    knownAtMs = now();
    const state = stateOf(read.stateText);
    const next = nextLoadState(state, read.sum.queues.passwords, read.nowMs, levels.length);
    const isSame = next.level === state.level && next.heldMs === state.heldMs && next.overMs === state.overMs;
    change = isSame || levels.length === 0 ? null : { from: read.stateText, to: next };
    tell();
  }

  /** Runs one exchange at a time. */
  const once = (report: () => LoadReport | undefined): Promise<void> => {
    running ??= exchange(report()).finally(() => {
      running = undefined;
    });
    return running;
  };

  /** Exchanges with the store, and again in a second if there is work then. Other checks report an unresponsive store. */
  const tick = (report: () => LoadReport | undefined) => {
    hasWork = false;
    if (store.isReady()) once(report).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      const isBusy = [...meters.values()].some((meter) => meter.isBusy());
      if (!isStopped && (hasWork || isBusy)) tick(takeReport);
    }, EVERY_MS).unref();
  };

  /** After a pause the reports of others are read at once, and that of this process is written in a second. */
  const work = () => {
    hasWork = true;
    if (timer !== undefined || isStopped) return;
    for (const meter of meters.values()) meter.take();
    tick(NOTHING);
    hasWork = true;
  };
  const refused = () => {
    counts.refused += 1;
    work();
  };

  return {
    issued() {
      counts.issued += 1;
      work();
    },
    refused,
    queue(name, bounds) {
      const meter = createQueueMeter(bounds, { onJob: work, onRefused: refused }, now);
      meters.set(name, meter);
      return meter;
    },
    raisedBits() {
      const { bits } = statusNow();
      return Math.max(bits.load, bits.hand);
    },
    status() {
      if (timer === undefined && !isStopped && store.isReady()) once(NOTHING).catch(() => {});
      return statusNow();
    },
    async look() {
      await running?.catch(() => {});
      return once(takeReport);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running?.catch(() => {});
      // A process that cannot report its end soon counts as silent.
      if (hasReported && store.isReady()) await record.report(process, null).catch(() => {});
    },
  };
}

/** The price by load for a command of an operator, which reports no load of its own. */
interface LoadControl {
  /**
   * Raises the price by hand for `forMs`, or with 0 bits no more.
   * @returns whether it was raised before
   */
  raise(bits: number, forMs: number): Promise<boolean>;
  /** The current price, as the store has it. */
  status(): Promise<LoadStatus>;
}

/** Each method throws StoreUnavailableError if the store does not answer. */
export function controlLoad(store: Store, options: LoadWatchOptions['options']): LoadControl {
  const record = openLoadRecord(store, options.cache.prefix);
  return {
    raise: record.raise,
    status: async () => statusOf(await record.report(READER), loadLevels(options.load_levels), 0),
  };
}

/** The name under which a command reads. It reports nothing. */
const READER = 'command';

/** @param passedMs since `known` was read */
function statusOf(
  { nowMs, stateText, byHand, sum }: KnownLoad,
  levels: readonly number[],
  passedMs: number,
): LoadStatus {
  const level = Math.min(levels.length, levelAt(stateOf(stateText), nowMs + passedMs));
  const handLeftMs = Math.max(0, (byHand?.leftMs ?? 0) - passedMs);
  const hand = handLeftMs > 0 ? (byHand?.bits ?? 0) : 0;
  return { level, levels: levels.length, bits: { load: levelBits(levels, level), hand }, handLeftMs, sum };
}

function stateOf(stateText: string): LoadState {
  return parseLoadState(stateText) ?? NO_LOAD;
}

/** The bounds of a queue. */
export interface QueueBounds {
  /** Jobs that run at the same time, at least 1. */
  readonly running: number;
  /** Jobs that may wait, at least 1. */
  readonly waiting: number;
}

/** The measurement of one queue. */
export interface QueueMeter {
  /**
   * Runs a job of the queue and measures it.
   * @param job rejects at once if the queue is full
   * @param isRefusal whether an error of the job is such a rejection
   */
  measure<T>(job: () => Promise<T>, isRefusal: (error: unknown) => boolean): Promise<T>;
  /** Returns the load since the last call, and restarts the measurement. */
  take(): QueueLoad;
  /** Whether a job is running. */
  isBusy(): boolean;
}

/**
 * @param onJob called when a job begins
 * @param onRefused called when a job was rejected
 * @param now milliseconds of a monotonic clock
 */
export function createQueueMeter(
  { running, waiting }: QueueBounds,
  { onJob, onRefused }: { readonly onJob: () => void; readonly onRefused: () => void },
  now: () => number,
): QueueMeter {
  let unfinished = 0;
  let refused = 0;
  let sinceMs = now();
  let changedMs = sinceMs;
  /** Busy milliseconds of threads. */
  let busyMs = 0;

  const settle = () => {
    const atMs = now();
    busyMs += (atMs - changedMs) * Math.min(unfinished, running);
    changedMs = atMs;
  };
  const change = (by: number) => {
    settle();
    unfinished += by;
  };

  return {
    async measure(job, isRefusal) {
      change(1);
      onJob();
      try {
        return await job();
      } catch (error) {
        if (isRefusal(error)) {
          refused += 1;
          onRefused();
        }
        throw error;
      } finally {
        change(-1);
      }
    },
    take() {
      settle();
      const passedMs = changedMs - sinceMs;
      const busy = passedMs > 0 ? busyMs / (passedMs * running) : 0;
      const taken = Math.min(1, Math.max(0, unfinished - running) / waiting);
      const load = refused > 0 ? FULL_LOAD : busy + taken;
      sinceMs = changedMs;
      busyMs = 0;
      refused = 0;
      return Math.min(FULL_LOAD, load);
    },
    isBusy: () => unfinished > 0,
  };
}

/** Returns the same store, but counts its issued challenges. */
export function counted(store: ChallengeStore, load: Pick<LoadWatch, 'issued' | 'refused'>): ChallengeStore {
  const count = (issued: Issued) => {
    if (issued.allowed) load.issued();
    else load.refused();
    return issued;
  };
  return {
    ...store,
    issuePow: async (issue) => count(await store.issuePow(issue)),
    issueEffort: async (issue) => count(await store.issueEffort(issue)),
    issueImage: async (issue) => count(await store.issueImage(issue)),
  };
}
