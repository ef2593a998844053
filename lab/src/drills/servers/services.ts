// Two processes of each service: each on a separate loopback address, so that all have the same ports.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Environment,
  environmentFor,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import type { Lab } from './lab.js';
import { type SpawnedService, spawnService } from './spawn-service.js';

/** One process of a service. */
export interface Service {
  readonly name: ServiceName;
  /** 1 or 2. */
  readonly node: number;
  readonly publicUrl: string;
  readonly adminUrl: string;
  readonly pid: number | undefined;
  /** Starts it; resolves when it is ready. @throws Error with its output if it exits before */
  start(): Promise<void>;
  /** Starts it; resolves with its exit if it exits before it is ready. */
  tryStart(): Promise<ServiceEnd | undefined>;
  /** SIGTERM, as from an orchestrator. It must exit with 0 within its drain and two seconds. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Moves the clock of the process ahead of the machine's, or behind it. */
  moveClock(aheadMs: number): void;
  /** The complete output of its last run. */
  log(): string;
}

/** The exit of a process, and its stderr. */
export interface ServiceEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

/** The addresses of the services, and their variables. */
interface ServicesOptions {
  readonly environment: Environment;
  readonly drainSeconds: number;
  /** Program and arguments that start each process, before those of Node. */
  readonly under?: readonly string[];
}

interface ServicePorts {
  readonly session: number;
  readonly sessionAdmin: number;
  readonly challenge: number;
  readonly challengeAdmin: number;
}

/** Maximum duration of a stop after the drain. */
const STOP_MS = 2_000;
/** After that it is killed. */
const KILL_MS = 25_000;
const LONGEST_START_MS = 60_000;

const PORTS = {
  'session-service': ['session', 'sessionAdmin'],
  'challenge-service': ['challenge', 'challengeAdmin'],
} as const;

/** Prepares one process of a service, without starting it. */
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
  };
  const title = `${name} ${node}`;
  let current: SpawnedService | undefined;
  let runs = 0;
  let mayEnd = true;

  const send = (signal: NodeJS.Signals) => {
    const pid = current?.child.pid;
    if (pid === undefined || !current?.isRunning()) return;
    process.kill(under === undefined ? pid : onlyChildOf(pid), signal);
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = current;
    if (running === undefined || !running.isRunning()) return;
    mayEnd = true;
    const startMs = performance.now();
    send('SIGCONT');
    send(signal);
    const timer = setTimeout(() => send('SIGKILL'), KILL_MS);
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
  const tryStart = async (): Promise<ServiceEnd | undefined> => {
    runs += 1;
    const logFile = join(folder, `${name}-${node}.${runs}.log`);
    const started = spawnService(name, { environment: own, logFile, under });
    current = started;
    const { child } = started;
    void started.gone.then(() => {
      if (!mayEnd) lab.noteAccident(`${title} ended by itself with ${child.signalCode ?? child.exitCode}`);
    });
    if (await isReady(started, adminUrl)) {
      mayEnd = false;
      return undefined;
    }
    await end('SIGKILL');
    return { code: child.exitCode, signal: child.signalCode, said: started.errors() };
  };

  lab.onClose(() => end('SIGTERM'));
  return {
    name,
    node,
    publicUrl: `http://${host}:${ports[publicPort]}`,
    adminUrl,
    get pid() {
      return current?.child.pid;
    },
    tryStart,
    async start() {
      const ended = await tryStart();
      if (ended !== undefined)
        throw new Error(`${title} does not become ready: ${ended.said || current?.log().slice(-500)}`);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => send('SIGSTOP'),
    thaw: () => send('SIGCONT'),
    moveClock: (aheadMs) => void current?.child.send({ aheadMs }),
    log: () => current?.log() ?? '',
  };
}

/** Whether it becomes ready before it exits. */
async function isReady(service: SpawnedService, adminUrl: string): Promise<boolean> {
  const deadlineMs = performance.now() + LONGEST_START_MS;
  while (service.isRunning() && performance.now() < deadlineMs) {
    const answered = fetch(`${adminUrl}/health/ready`, { signal: AbortSignal.timeout(1_000) });
    if (
      await answered.then(
        ({ status }) => status === 200,
        () => false,
      )
    )
      return true;
    await sleep(30);
  }
  return false;
}

/** The child of a program such as `unshare`, which forwards no signals. */
function onlyChildOf(pid: number): number {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child === '' ? pid : Number(child);
}

/** The module that the services load as their user directory. */
export const STATIC_DIRECTORY = fileURLToPath(
  import.meta.resolve('@tollgate/test-support/static-directory.js'),
);
