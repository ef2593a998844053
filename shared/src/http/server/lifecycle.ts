// Starts a service's two listeners and stops them in an order that loses no request.

import { setTimeout as pause } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ConfigurationError } from '../../schemas/configuration-error.js';
import type { HealthState } from '../observability/health.js';
import { type ClosingTimes, closeListener } from './closing.js';

/** The part of an application that the life cycle uses. */
export type RunningApp = Pick<FastifyInstance, 'listen' | 'close' | 'server'>;

/** The address of a listener, and the variables that set it. */
export interface ListenAt {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/** A service with its two applications. */
export interface Service {
  readonly logger: FastifyBaseLogger;
  readonly publicApp: RunningApp;
  readonly adminApp: RunningApp;
  readonly publicAt: ListenAt;
  readonly adminAt: ListenAt;
  /** Seconds of serving after the service has become not ready. */
  readonly drainSeconds: number;
  readonly state: HealthState;
  /**
   * Resolves when the stores accept commands, or after a time limit, after which the service starts without them. The
   * listeners open afterwards, so that the first requests of a rollout do not precede the connections.
   */
  readonly opened?: () => Promise<unknown>;
  /** Delivers buffered data, once no request is under way. */
  readonly flush?: () => Promise<void>;
  /** Closes the stores, the workers and all other resources of the service. */
  readonly closeDependencies: () => Promise<void>;
}

/** A listening service. */
export interface RunningService {
  readonly publicUrl: string;
  readonly adminUrl: string;
  /**
   * Stops it: not ready, drain, close public, flush, close admin, close dependencies. Ends within `drainSeconds` and 1.5 s,
   * with a warning for each step that was still running. Repeated calls wait for the first.
   */
  stop(options?: { readonly drain: boolean }): Promise<void>;
}

/** Milliseconds that closing may take after the drain. */
const CLOSING_MS = 1_500;

/** Their parts for the public listener after a drain, without one, and for the admin listener. */
const PUBLIC_TIMES: ClosingTimes = { lingerMs: 500, limitMs: 800 };
const UNDRAINED_TIMES: ClosingTimes = { lingerMs: 0, limitMs: 800 };
const ADMIN_TIMES: ClosingTimes = { lingerMs: 0, limitMs: 200 };

/** Milliseconds at the end of the drain in which connections are kept open again. */
const KEPT_OPEN_MS = 1_000;

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Milliseconds after the drain until the process ends by force. */
const LAST_RESORT_MS = 5_000;

/**
 * Starts both listeners once the stores are open, admin first, and stops the service on a signal or an uncaught error.
 *
 * @throws ConfigurationError if an address cannot be bound; all open resources are closed before
 */
export async function runService(service: Service): Promise<RunningService> {
  // Process 1 of a container ignores signals without a listener: a stop during the start would end by force.
  const exit = (_signal: string, number: number) => process.exit(128 + number);
  for (const signal of STOP_SIGNALS) process.once(signal, exit);
  const running = await startService(service).finally(() => {
    for (const signal of STOP_SIGNALS) process.off(signal, exit);
  });
  closeWithGrace(
    { delay: service.drainSeconds * 1000 + LAST_RESORT_MS, logger: service.logger },
    async ({ signal, err }) => {
      if (err) service.logger.fatal({ err }, 'stopping after an uncaught error');
      else service.logger.info({ signal }, 'stopping');
      await running.stop({ drain: err === undefined });
    },
  );
  return running;
}

/** Like `runService` without the signals of the process, for several services in one process and for tests. */
export async function startService(service: Service): Promise<RunningService> {
  const { publicApp, adminApp, publicAt, adminAt } = service;
  try {
    await service.opened?.();
    const adminUrl = await listen(adminApp, adminAt);
    const publicUrl = await listen(publicApp, publicAt);
    let stopped: Promise<void> | undefined;
    return {
      publicUrl,
      adminUrl,
      stop(options = { drain: true }) {
        stopped ??= stopService(service, options.drain);
        return stopped;
      },
    };
  } catch (error) {
    await stopService(service, false);
    throw error;
  }
}

async function stopService(service: Service, drain: boolean): Promise<void> {
  const isDrained = drain && service.drainSeconds > 0;
  service.state.stopping = true;
  service.state.closing = true;
  if (isDrained) await drainConnections(service);
  const deadlineMs = performance.now() + CLOSING_MS;
  const failures: unknown[] = [];
  // A dependency that cannot be closed must not prevent closing the others.
  for (const [what, close] of [
    [
      'the public listener',
      () => closeListener(service.publicApp, isDrained ? PUBLIC_TIMES : UNDRAINED_TIMES),
    ],
    ['the buffered data', () => service.flush?.()],
    ['the admin listener', () => closeListener(service.adminApp, ADMIN_TIMES)],
    ['dependencies', () => service.closeDependencies()],
  ] as const) {
    try {
      if (await isLate(close(), deadlineMs)) service.logger.warn({ what }, 'did not close in time');
    } catch (error) {
      service.logger.error({ err: error }, 'a dependency did not close');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Serves for the drain. Every response ends its connection, except in the last second: a gateway that does not notice the
 * stop then has open connections again, and is unlikely to open one just when the listener closes. Such a request would be
 * lost, one on an open connection is not.
 */
async function drainConnections({ state, drainSeconds }: Service): Promise<void> {
  const drainMs = drainSeconds * 1000;
  const keptOpenMs = drainMs >= 2 * KEPT_OPEN_MS ? KEPT_OPEN_MS : 0;
  await pause(drainMs - keptOpenMs);
  if (keptOpenMs > 0) state.closing = false;
  await pause(keptOpenMs);
  state.closing = true;
}

/** Waits for work until a time of `performance.now()`, and returns whether it was still running then. */
async function isLate(work: Promise<void> | undefined, deadlineMs: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = pause(Math.max(0, deadlineMs - performance.now()), true, { signal: waiting.signal });
  late.catch(() => {});
  try {
    return await Promise.race([work?.then(() => false) ?? false, late]);
  } finally {
    waiting.abort();
  }
}

async function listen(app: RunningApp, at: ListenAt): Promise<string> {
  try {
    return await app.listen({ host: at.host, port: at.port });
  } catch (error) {
    const mistake = describeBindError((error as NodeJS.ErrnoException).code, at);
    throw mistake === undefined ? error : new ConfigurationError([mistake]);
  }
}

function describeBindError(code: string | undefined, at: ListenAt): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `${at.portVariable}: port ${at.port} on ${at.host} is in use by another program`;
    case 'EACCES':
      return `${at.portVariable}: port ${at.port} on ${at.host} may not be used by this user`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${at.hostVariable}: ${at.host} is not an address of this machine`;
    default:
      return undefined;
  }
}

/** Runs the main function of a program. Prints the lines of a ConfigurationError and exits with status 1. */
export async function startOrExplain(main: () => Promise<unknown>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    for (const line of error.lines) console.error(line);
    process.exit(1);
  }
}
