// Any number of processes of both services on one store, without a gateway.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashPassword } from '@tollgate/session-service/passwords/password-hash.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  environmentFor,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { startService } from '@tollgate/tools/launcher/service-process.js';
import { CHEAP, HOST_KEY, UNLIMITED } from '../site.js';
import { HASH_VARIABLE, PASSWORD } from './users.js';

/** One process. */
export interface FleetNode {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
}

/** The running processes. */
export interface Fleet {
  readonly sessions: readonly FleetNode[];
  readonly challenges: readonly FleetNode[];
  /** The variables of all of them, including secrets. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const SECRETS = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'CHALLENGE_SECRET'];
const USERS = fileURLToPath(new URL('./users.js', import.meta.url));
const READY = { unreadyMs: 10_000, silentMs: 60_000 };
const STOP_MS = 6_000;

/** Starts `count` processes of each service; resolves when they are ready. */
export async function startFleet(storeUrl: string, count: number): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const environment = {
    ...UNLIMITED,
    ...CHEAP,
    ...Object.fromEntries(SECRETS.map((name) => [name, randomBytes(32).toString('hex')])),
    HOST_API_KEY: HOST_KEY,
    LOG_LEVEL: 'info',
    DATA_DIR: folder,
    STORE_URL: storeUrl,
    USERS_URL: `module:${USERS}`,
    [HASH_VARIABLE]: await hashPassword(PASSWORD),
    // All processes have one public address, and each has its own ports.
    PUBLIC_URL: 'http://localhost',
  };
  const start = async (name: ServiceName, at: number) => {
    const ports = await settlePorts(ANY_PORTS);
    const own = { ...process.env, ...completeForLocalUse(environment, ports) };
    const service = startService(name, {
      environment: environmentFor(name, own),
      logFile: join(folder, `${name}-${at}.log`),
    });
    const [port, adminPort] =
      name === 'session-service'
        ? [ports.session, ports.sessionAdmin]
        : [ports.challenge, ports.challengeAdmin];
    const node = {
      url: `http://127.0.0.1:${port}`,
      adminUrl: `http://127.0.0.1:${adminPort}`,
      pid: service.child.pid!,
    };
    return { service, node };
  };
  const startAll = (name: ServiceName) =>
    Promise.all(Array.from({ length: count }, (_, at) => start(name, at)));
  const [sessions, challenges] = [await startAll('session-service'), await startAll('challenge-service')];
  const all = [...sessions, ...challenges];
  const close = async () => {
    await Promise.all(all.map(({ service }) => service.stop(STOP_MS)));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilAllReady(
      all.map(({ service, node }) => ({
        service,
        url: `${node.adminUrl}/health/ready`,
        explain: (body) => `${service.name} is not ready: ${body}`,
      })),
      READY,
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    sessions: sessions.map(({ node }) => node),
    challenges: challenges.map(({ node }) => node),
    environment,
    close,
  };
}
