// Two processes of each service on one Redis, at two loopback addresses as if on two machines, which can be restarted.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { Test } from 'tap';
import { PASSWORD_HASH } from '../../src/drills/servers/static-directory.js';
import { ANY_PORTS, settlePorts } from '../../src/launcher/free-ports.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
  type Ports,
  type ServiceName,
} from '../../src/launcher/local-environment.js';
import { waitUntilAllReady } from '../../src/launcher/readiness.js';
import { openSecrets } from '../../src/launcher/secrets.js';
import { type ServiceProcess, startService } from '../../src/launcher/service-process.js';

/** The second one is not there on every system. */
export const ADDRESSES = ['127.0.0.1', '127.0.0.2'] as const;

/** How a process ended. */
export interface Stop {
  readonly service: ServiceName;
  readonly code: number | null;
  readonly ms: number;
}

export interface Node {
  /** Its public listener, as `host:port`. */
  readonly at: string;
  /** Stops it as an orchestrator does and starts it again on its ports; resolves when it is ready. */
  restart(): Promise<Stop>;
}

export interface TwoOfEach {
  readonly sessions: readonly Node[];
  readonly challenges: readonly Node[];
  readonly ports: Ports;
  /** All that every process has logged. */
  logs(): string;
}

/** Whether this system has both addresses. */
export async function hasTwoAddresses(): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, ADDRESSES[1], () => server.close(() => resolve(true)));
  });
}

/** The users `user1@example.com`, `user2@example.com` … of a directory, all with the `PASSWORD` of the drills. */
export function writeDirectoryModule(folder: string): string {
  const path = join(folder, 'directory.mjs');
  writeFileSync(
    path,
    `const hash = ${JSON.stringify(PASSWORD_HASH)};
const user = (id) => ({ id, email: \`user\${id}@example.com\`, hash, disabled: false });
export default {
  async findByEmail(email) {
    const [, id] = /^user(\\d+)@example\\.com$/.exec(email) ?? [];
    return id === undefined ? undefined : user(Number(id));
  },
  findById: async (id) => user(id),
  health: async () => {},
  close: async () => {},
};
`,
  );
  return `module:${path}`;
}

/** Starts the four processes; they stop with the test. */
export async function startTwoOfEach(t: Test, given: Environment): Promise<TwoOfEach> {
  const folder = tempDir(t);
  const redis = await startRedis(t);
  const ports = await settlePorts(ANY_PORTS);
  const { DRAIN_SECONDS: _none, ...environment } = completeForLocalUse(
    {
      ...openSecrets(folder, {}),
      STORE_URL: redis.url,
      USERS_URL: writeDirectoryModule(folder),
      DATA_DIR: folder,
      ...given,
    },
    ports,
  );
  const logs: (() => string)[] = [];

  const startNode = async (service: ServiceName, address: string): Promise<Node> => {
    const isSession = service === 'session-service';
    const start = async (): Promise<ServiceProcess> => {
      const started = startService(service, {
        environment: {
          ...environmentFor(service, environment),
          BIND: address,
          ADMIN_BIND: address,
          TRUST_PROXY: 'loopback',
        },
        logFile: join(folder, `${service}.${logs.length}.log`),
      });
      logs.push(started.log);
      t.teardown(() => started.stop(5_000));
      const url = `http://${address}:${isSession ? ports.sessionAdmin : ports.challengeAdmin}/health/ready`;
      await waitUntilAllReady([{ service: started, url, explain: (body) => body }], {
        unreadyMs: 10_000,
        silentMs: 60_000,
      });
      return started;
    };
    let running = await start();
    return {
      at: `${address}:${isSession ? ports.session : ports.challenge}`,
      async restart() {
        const startedMs = performance.now();
        await running.stop(30_000);
        const stop = { service, code: running.child.exitCode, ms: performance.now() - startedMs };
        running = await start();
        return stop;
      },
    };
  };
  const [sessions, challenges] = await Promise.all([
    Promise.all(ADDRESSES.map((address) => startNode('session-service', address))),
    Promise.all(ADDRESSES.map((address) => startNode('challenge-service', address))),
  ]);
  return { sessions, challenges, ports, logs: () => logs.map((read) => read()).join('') };
}
