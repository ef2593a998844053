// Watches the store of a process: reports why it is unusable, how it is set up and whether its clock agrees.

import { Cluster } from 'ioredis';
import { type Store, waitForStore } from '../open-store.js';
import { startPeriodicTask } from '../periodic-task.js';
import { type RedisStore, usesTls } from '../redis-connection.js';
import { StoreUnavailableError } from '../store.js';
import { embeddedFailureCause, watchEmbedded } from './embedded-watch.js';
import {
  CONNECTION_ENDED,
  createFailureLog,
  type FailureLog,
  failureCause,
  type StoreLog,
} from './failure-cause.js';
import {
  type Held,
  MAX_CLOCK_OFFSET_MS,
  readClockOffset,
  readRedisFacts,
  redisWarnings,
} from './redis-facts.js';

/** The watched store. */
interface StoreWatchOptions {
  /** The store's variable, for the log. */
  readonly variable: string;
  /** The store's contents for this process, which decide about warnings of loss. None if the process only inspects it. */
  readonly holds: readonly Held[];
  readonly log: StoreLog;
  /** This node's clock, in milliseconds since 1970. */
  readonly nowMs?: () => number;
}

/** The watch of one store. */
export interface StoreWatch {
  /**
   * Writes and reads a key that expires after a minute. Resolves with `ok`, or with the problem of a working store: `full`
   * rejects new keys, `clock` differs by more than two seconds.
   * @throws StoreUnavailableError if the store does not respond or accepts no writes
   */
  check(key: string): Promise<'ok' | 'full' | 'clock'>;
  /** Why the store is unusable, for people, without its address; undefined if it is usable, or if the reason is unknown. */
  readonly problem: string | undefined;
  /**
   * The store's clock minus that of this node at the last comparison, in milliseconds; undefined before, and for an embedded
   * store, which has no clock of its own.
   */
  readonly clockOffsetMs: number | undefined;
  /** Stops the watch. Call it before you close the store. */
  stop(): Promise<void>;
}

const MEASURE_EVERY_MS = 60_000;
const CHECK_TTL_MS = 60_000;

/** How long a connection may be missing without an error before that is reported, in milliseconds. */
const ENDED_MS = 1000;

/** How long the first check waits for the first connection, in milliseconds. */
const FIRST_CONNECTION_MS = 400;

/** Watches a store until it is stopped. */
export function watchStore(store: Store, options: StoreWatchOptions): StoreWatch {
  if (store.kind === 'redis') return watchRedis(store, options);
  const { log, holds, variable } = options;
  const failures = createFailureLog(variable, log, embeddedFailureCause);
  store.observe({ took: failures.answered, failed: failures.failed });
  const { isReplaced, stop } = watchEmbedded(store, { log, isUser: holds.length > 0 });
  return {
    async check(key) {
      await store.exchange(key, '', CHECK_TTL_MS);
      if (isReplaced()) throw new StoreUnavailableError('the file of the store was replaced or removed');
      return 'ok';
    },
    get problem() {
      return failures.cause?.text;
    },
    clockOffsetMs: undefined,
    stop,
  };
}

function watchRedis(
  store: RedisStore,
  { variable, holds, log, nowMs = Date.now }: StoreWatchOptions,
): StoreWatch {
  const connection = {
    usesTls: usesTls(store.client),
    wasReady: false,
  };
  const failures = createFailureLog(variable, log, (error) => failureCause(error, connection));
  const stopListening = [
    listenForFailures(store, failures),
    store.onReady(() => {
      connection.wasReady = true;
    }),
  ];
  const held = new Set(holds);
  const told = new Set<string>();
  let clockOffsetMs: number | undefined;
  let isApart = false;

  /** Each warning once: a reconnected server has it again. */
  const warnOfSettings = async (): Promise<void> => {
    const facts = await readRedisFacts(store.client, nowMs);
    for (const warning of facts.flatMap((each) => redisWarnings(each, held))) {
      if (!told.has(warning)) log.warn({ store: variable }, warning);
      told.add(warning);
    }
  };
  const compareClocks = async (): Promise<void> => {
    clockOffsetMs = await readClockOffset(store.client, nowMs);
    const wasApart = isApart;
    isApart = Math.abs(clockOffsetMs) > MAX_CLOCK_OFFSET_MS;
    if (isApart === wasApart) return;
    const seconds = Math.round(Math.abs(clockOffsetMs) / 1000);
    if (!isApart) log.info({ store: variable }, 'the clocks of Redis and of this node agree again');
    else log.warn({ store: variable }, `the clocks of Redis and of this node are ${seconds} s apart`);
  };
  const task = startPeriodicTask(
    store,
    async () => {
      await compareClocks();
      await warnOfSettings();
    },
    { everyMs: MEASURE_EVERY_MS, afterReconnect: true, onFailure: failures.failed },
  );

  return {
    async check(key) {
      if (!store.isReady() && failures.cause === undefined) await waitForStore(store, FIRST_CONNECTION_MS);
      try {
        await store.exchange(key, '', CHECK_TTL_MS);
      } catch (error) {
        if (failures.cause?.name !== 'out_of_memory') throw error;
        await store.timeMs();
        return 'full';
      }
      return isApart ? 'clock' : 'ok';
    },
    get problem() {
      return failures.cause?.text;
    },
    get clockOffsetMs() {
      return clockOffsetMs;
    },
    async stop() {
      for (const stop of stopListening) stop();
      await task.stop();
    },
  };
}

/** Reports every failed command and connection. @returns a function that ends the reports */
function listenForFailures({ client, observe, isReady }: RedisStore, failures: FailureLog): () => void {
  const { failed, answered } = failures;
  observe({ took: answered, failed });
  let timer: NodeJS.Timeout | undefined;
  // A server may end a connection without an error. One that can be replaced at once is no failure.
  const ended = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!isReady() && failures.cause === undefined) failed(new Error(CONNECTION_ENDED));
    }, ENDED_MS).unref();
  };
  const listeners = [
    ['error', failed],
    ['close', ended],
    ...(client instanceof Cluster ? [['node error', failed] as const] : []),
  ] as const;
  for (const [event, listener] of listeners) client.on(event, listener);
  return () => {
    clearTimeout(timer);
    for (const [event, listener] of listeners) client.off(event, listener);
  };
}
