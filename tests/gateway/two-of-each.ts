// Two processes of each service on one machine and one Redis, which can be restarted.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { PASSWORD_HASH } from '@tollgate/test-support/static-directory.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { openSecrets } from '@tollgate/tools/launcher/secrets.js';
import { type ServiceProcess, startService } from '@tollgate/tools/launcher/service-process.js';
import type { Test } from 'tap';

/** The exit of a process. */
export interface Stop {
  readonly service: ServiceName;
  readonly code: number | null;
  readonly ms: number;
}

export interface Node {
  /** Its public listener, as `host:port`. */
  readonly at: string;
  /**
   * Stops it as an orchestrator does and restarts it on its ports; resolves when it is ready.
   * @param own variables of this process only
   */
  restart(own?: Environment): Promise<Stop>;
  /** Ends it without warning. */
  kill(): Promise<void>;
}

interface TwoOfEach {
  readonly sessions: readonly Node[];
  readonly challenges: readonly Node[];
  /** The variables of every session-service. */
  readonly env: Environment;
  /** The complete log of all processes. */
  logs(): string;
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
  const { DRAIN_SECONDS: _none, ...local } = completeForLocalUse(
    {
      ...openSecrets(folder, {}),
      STORE_URL: redis.url,
      USERS_URL: writeDirectoryModule(folder),
      DATA_DIR: folder,
      ...given,
    },
    await settlePorts(ANY_PORTS),
  );
  const environment: Environment = { ...local, ...given };
  const logs: (() => string)[] = [];

  const startNode = async (service: ServiceName): Promise<Node> => {
    const ports = await settlePorts(ANY_PORTS);
    const isSession = service === 'session-service';
    const listeners: Environment = isSession
      ? { SESSION_PORT: `${ports.session}`, SESSION_ADMIN_PORT: `${ports.sessionAdmin}` }
      : { CHALLENGE_PORT: `${ports.challenge}`, CHALLENGE_ADMIN_PORT: `${ports.challengeAdmin}` };
    const start = async (own: Environment = {}): Promise<ServiceProcess> => {
      const started = startService(service, {
        environment: { ...environmentFor(service, environment), ...listeners, ...own },
        logFile: join(folder, `${service}.${logs.length}.log`),
      });
      logs.push(started.log);
      t.teardown(() => started.stop(5_000));
      const url = `http://127.0.0.1:${isSession ? ports.sessionAdmin : ports.challengeAdmin}/health/ready`;
      // A process serves despite a different clock.
      const explain = (body: string) => (body.includes('"clock"') ? undefined : body);
      await waitUntilAllReady([{ service: started, url, explain }], {
        unreadyMs: 10_000,
        silentMs: 60_000,
      });
      return started;
    };
    let running = await start();
    return {
      at: `127.0.0.1:${isSession ? ports.session : ports.challenge}`,
      async restart(own) {
        const startedMs = performance.now();
        await running.stop(30_000);
        const stop = { service, code: running.child.exitCode, ms: performance.now() - startedMs };
        running = await start(own);
        return stop;
      },
      async kill() {
        running.child.kill('SIGKILL');
        await running.gone;
      },
    };
  };
  const two = (service: ServiceName) => Promise.all([startNode(service), startNode(service)]);
  const [sessions, challenges] = await Promise.all([two('session-service'), two('challenge-service')]);
  const env = environmentFor('session-service', environment);
  return { sessions, challenges, env, logs: () => logs.map((read) => read()).join('') };
}
