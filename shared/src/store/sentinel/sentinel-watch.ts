// Follows the Sentinels of a master, so that no connection stays with a server that is no longer the master.

import { Redis, type RedisOptions } from 'ioredis';
import { type HostPort, hostAndPort } from '../store-url.js';

/** Knows which server the Sentinels name as the master. */
export interface SentinelWatch {
  /**
   * Resolves with the address of the master: at once if it is known, but not while a failover is under way.
   * @throws Error if the signal is aborted, or when the watch is closed
   */
  master(signal: AbortSignal): Promise<HostPort>;
  /** Why no master is known, for the log. */
  readonly problem: string;
  /**
   * Calls `listener` when a connection must be dropped: a failover begins, or another server is the master.
   * @returns a function that removes the listener
   */
  onLeave(listener: () => void): () => void;
  close(): void;
}

/** A Sentinel's state of a master. */
interface SentinelAnswer extends HostPort {
  /** The Sentinel with the highest epoch has the latest state. */
  readonly epoch: number;
  readonly isFailingOver: boolean;
}

const ASK_EVERY_MS = 1000;

/** Longest time without a connection during a failover whose end is not reported, in milliseconds. */
const HOLD_MS = 5000;

/** The Sentinel that leads a failover reports this at least 50 ms before it promotes a replica. */
const BEFORE_PROMOTION = '+failover-state-send-slaveof-noone';
const NEWS = ['*failover*', '+promoted-slave', '+switch-master'];

/** Reports that a Sentinel responds and is still of no use, by the error of its client. */
const PROBLEMS = [
  [/NOAUTH|NOPERM/, 'a Sentinel requires a password'],
  [/certificate/, 'the certificate of a Sentinel is not trusted'],
] as const;

const SENTINEL_OPTIONS = {
  commandTimeout: 500,
  connectTimeout: 1000,
  disconnectTimeout: 100,
  socketTimeout: 1500,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: null,
};

/**
 * Connects to every Sentinel. Each is queried every second and whenever it reports a step of a failover.
 *
 * @param name the name of the master
 * @param options.retryDelayMs the delay before the n-th attempt to connect to a Sentinel again
 */
export function watchSentinels(
  sentinels: readonly HostPort[],
  name: string,
  { retryDelayMs, tls }: { readonly retryDelayMs: (attempt: number) => number } & Pick<RedisOptions, 'tls'>,
): SentinelWatch {
  const answers = new Map<Redis, SentinelAnswer>();
  const listeners = new Set<() => void>();
  const problems = new Map<Redis, string>();
  const waiting = new Set<() => void>();
  let named: HostPort | undefined;
  let holding: { readonly timer: NodeJS.Timeout; readonly by: Redis } | undefined;
  let knowsName: boolean | undefined;
  let isClosed = false;

  const wake = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const leave = (): void => {
    for (const listener of listeners) listener();
  };
  const release = (): void => {
    clearTimeout(holding?.timer);
    holding = undefined;
    wake();
  };
  const hold = (by: Redis): void => {
    clearTimeout(holding?.timer);
    holding = { by, timer: setTimeout(release, HOLD_MS).unref() };
    leave();
  };

  /** Uses the reply with the highest epoch. Among equal ones that of the current master counts. */
  function decide(): void {
    const epoch = Math.max(...[...answers.values()].map((answer) => answer.epoch));
    const latest = [...answers.values()].filter((answer) => answer.epoch === epoch);
    const master = latest.find((answer) => isSame(answer, named)) ?? latest[0];
    if (master === undefined) return;
    const isMoved = named !== undefined && !isSame(master, named);
    named = { host: master.host, port: master.port };
    if (isMoved) leave();
    const isOver = holding !== undefined && answers.get(holding.by)?.isFailingOver === false;
    if (isMoved || isOver) release();
    else if (holding === undefined) wake();
  }

  function noteProblem(sentinel: Redis, { message }: Error): void {
    const [, problem] = PROBLEMS.find(([pattern]) => pattern.test(message)) ?? [];
    if (problem === undefined) problems.delete(sentinel);
    else problems.set(sentinel, problem);
  }

  async function ask(sentinel: Redis): Promise<void> {
    try {
      const [address, details] = await Promise.all([
        sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name) as Promise<[string, string] | null>,
        sentinel.call('SENTINEL', 'MASTER', name) as Promise<string[]>,
      ]);
      if (address === null) return;
      const [host, port] = address;
      knowsName = true;
      problems.delete(sentinel);
      answers.set(sentinel, {
        host,
        port: Number(port),
        epoch: Number(details[details.indexOf('config-epoch') + 1]),
        isFailingOver: String(details[details.indexOf('flags') + 1]).includes('failover_in_progress'),
      });
      decide();
    } catch (error) {
      if (!(error instanceof Error)) return;
      if (error.message.includes('No such master')) knowsName ??= false;
      noteProblem(sentinel, error);
    }
  }

  const clients = sentinels.map((address) => {
    const sentinel = new Redis({
      ...SENTINEL_OPTIONS,
      ...address,
      ...(tls && { tls }),
      retryStrategy: retryDelayMs,
    });
    // With a password required, the client's greeting already fails.
    sentinel.on('error', (error: Error) => noteProblem(sentinel, error));
    sentinel.on('close', () => answers.delete(sentinel));
    sentinel.on('ready', () => {
      sentinel.psubscribe(...NEWS).catch(() => {});
      void ask(sentinel);
    });
    sentinel.on('pmessage', (_pattern, channel: string, message: string) => {
      if (!message.split(' ').includes(name)) return;
      if (channel === BEFORE_PROMOTION) hold(sentinel);
      void ask(sentinel);
    });
    return sentinel;
  });
  const timer = setInterval(() => {
    for (const sentinel of clients) if (sentinel.status === 'ready') void ask(sentinel);
  }, ASK_EVERY_MS).unref();

  return {
    async master(signal) {
      for (;;) {
        if (signal.aborted || isClosed) throw new Error('Connection is closed.');
        if (named !== undefined && holding === undefined) return named;
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
    get problem() {
      if (knowsName === false) return `the Sentinels know no master ${name}`;
      const [problem] = problems.values();
      return problem ?? `no Sentinel answers: ${sentinels.map(hostAndPort).join(', ')}`;
    },
    onLeave(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(holding?.timer);
      for (const sentinel of clients) sentinel.disconnect();
      wake();
    },
  };
}

function isSame(one: HostPort, other: HostPort | undefined): boolean {
  return one.host === other?.host && one.port === other.port;
}
