// Two processes of each service: each on a loopback address of its own, so that all have the same ports.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Environment, environmentFor, type ServiceName } from '../../launcher/local-environment.js';
import { type ServiceProcess, startService } from '../../launcher/service-process.js';
import type { Lab } from './lab.js';

/** One process of a service. */
export interface Service {
  readonly name: ServiceName;
  /** 1 or 2. */
  readonly node: number;
  readonly publicUrl: string;
  readonly adminUrl: string;
  readonly pid: number | undefined;
  /** Starts it; resolves when it is ready. @throws Error with what it said if it ends before */
  start(): Promise<void>;
  /** SIGTERM, as an orchestrator stops it. It must end with 0 within its drain and two seconds. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Moves the clock of the process ahead of the machine's, or behind it. */
  moveClock(aheadMs: number): void;
  /** Resolves when it has ended by itself, as it may be expected to. */
  expectEnd(): Promise<{ readonly code: number | null; readonly said: string }>;
  /** Everything that its last run has written. */
  log(): string;
}

/** Where the services are and what they are given. */
export interface ServicesOptions {
  readonly environment: Environment;
  readonly drainSeconds: number;
  /** Program and arguments that each process is started with, before those of Node. */
  readonly under?: readonly string[];
}

export interface ServicePorts {
  readonly session: number;
  readonly sessionAdmin: number;
  readonly challenge: number;
  readonly challengeAdmin: number;
}

/** A stop may take this long after the drain. */
const STOP_MS = 2_000;
/** After that it is killed. */
const KILL_MS = 25_000;
const LONGEST_START_MS = 30_000;
const CLOCK = new URL('./movable-clock.js', import.meta.url).href;

const PORTS = {
  'session-service': ['session', 'sessionAdmin'],
  'challenge-service': ['challenge', 'challengeAdmin'],
} as const;

/** Prepares one process of a service, which is not started yet. */
export function prepareService(
  lab: Lab,
  name: ServiceName,
  node: number,
  ports: ServicePorts,
  { environment, drainSeconds, under }: ServicesOptions,
): Service {
  const host = `127.0.0.${node + 1}`;
  const [publicPort, adminPort] = PORTS[name];
  const adminUrl = `http://${host}:${ports[adminPort]}`;
  const folder = join(lab.folder, 'logs');
  mkdirSync(folder, { recursive: true });
  const own: Environment = {
    ...environmentFor(name, environment),
    BIND: host,
    ADMIN_BIND: host,
    SESSION_PORT: `${ports.session}`,
    SESSION_ADMIN_PORT: `${ports.sessionAdmin}`,
    CHALLENGE_PORT: `${ports.challenge}`,
    CHALLENGE_ADMIN_PORT: `${ports.challengeAdmin}`,
    DRAIN_SECONDS: `${drainSeconds}`,
    NODE_OPTIONS: `--import ${CLOCK}`,
  };
  const title = `${name} ${node}`;
  let current: ServiceProcess | undefined;
  let runs = 0;
  let isEndExpected = false;

  const end = async (signal: NodeJS.Signals) => {
    const running = current;
    if (running === undefined || !running.isRunning()) return;
    isEndExpected = true;
    const startMs = performance.now();
    running.child.kill('SIGCONT');
    running.child.kill(signal);
    const timer = setTimeout(() => running.child.kill('SIGKILL'), KILL_MS);
    await running.gone;
    clearTimeout(timer);
    if (signal === 'SIGKILL') return;
    const tookMs = performance.now() - startMs;
    const { exitCode, signalCode } = running.child;
    if (exitCode !== 0) lab.noteAccident(`${title} ended a stop with ${signalCode ?? exitCode}`);
    else if (tookMs > drainSeconds * 1_000 + STOP_MS) {
      lab.noteAccident(`${title} took ${(tookMs / 1_000).toFixed(1)} s to stop`);
    }
  };

  const service: Service = {
    name,
    node,
    publicUrl: `http://${host}:${ports[publicPort]}`,
    adminUrl,
    get pid() {
      return current?.child.pid;
    },
    async start() {
      runs += 1;
      isEndExpected = false;
      const started = startService(name, {
        environment: own,
        logFile: join(folder, `${name}-${node}.${runs}.log`),
        under,
      });
      current = started;
      void started.gone.then(() => {
        const { exitCode, signalCode } = started.child;
        if (!isEndExpected) lab.noteAccident(`${title} ended by itself with ${signalCode ?? exitCode}`);
      });
      await ready(started, adminUrl);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void current?.child.kill('SIGSTOP'),
    thaw: () => void current?.child.kill('SIGCONT'),
    moveClock: (aheadMs) => void current?.child.send({ aheadMs }),
    async expectEnd() {
      isEndExpected = true;
      await current?.gone;
      return { code: current?.child.exitCode ?? null, said: current?.errors() ?? '' };
    },
    log: () => current?.log() ?? '',
  };
  lab.onClose(service.stop);
  return service;
}

async function ready(service: ServiceProcess, adminUrl: string): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_START_MS;
  while (service.isRunning() && performance.now() < deadlineMs) {
    const isReady = await fetch(`${adminUrl}/health/ready`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) return;
    await sleep(30);
  }
  throw new Error(`${service.name} does not become ready: ${service.errors()}`);
}

/** The file that the services load as their directory of users. */
export const STATIC_DIRECTORY = fileURLToPath(new URL('./static-directory.js', import.meta.url));
