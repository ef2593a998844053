// Adding an account beside the running service, in its container, with the documented command.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  environmentFor,
  projectRoot,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { openSecrets } from '@tollgate/tools/launcher/secrets.js';
import { programOf } from '@tollgate/tools/launcher/service-program.js';
import t, { type Test } from 'tap';
import { readProjectFile } from './docs/project-file.js';
import { solve } from './solving.js';
import { startServiceHere } from './system/services-here.js';
import { ask } from './throw-away-service.js';

// A container has its own process ids, and so has a command executed in it.
const IN_CONTAINER = ['--pid', '--fork', '--kill-child'];
const hasNamespaces = spawnSync('unshare', [...IN_CONTAINER, 'true']).status === 0;
const skip = hasNamespaces ? false : 'process id namespaces require root on Linux';

const PASSWORD = 'a long enough password';

t.test('the account can log in', { skip }, async (t) => {
  const folder = tempDir(t);
  const redis = await startRedis(t);
  const ports = await settlePorts(ANY_PORTS);
  const environment = completeForLocalUse(
    {
      ...openSecrets(folder, {}),
      DATA_DIR: folder,
      STORE_URL: redis.url,
      NODE_ENV: 'production',
      ALLOW_EMBEDDED: 'true',
    },
    ports,
  );
  const challenges = startServiceHere('challenge-service', {
    environment: environmentFor('challenge-service', environment),
    logFile: join(folder, 'challenge.log'),
  });
  t.teardown(() => challenges.stop(5_000));
  const env = { PATH: process.env.PATH, ...environmentFor('session-service', environment) };
  const container = await startContainer(t, env, ports.sessionAdmin);
  await waitUntilAllReady(
    [
      {
        service: challenges,
        url: `http://127.0.0.1:${ports.challengeAdmin}/health/ready`,
        explain: (body) => body,
      },
    ],
    { unreadyMs: 10_000, silentMs: 60_000 },
  );

  const [, typed = ''] =
    /\ndocker exec CONTAINER (node .*users\.js add \S+)\n/.exec(
      readProjectFile('docs/operations/users.md'),
    ) ?? [];
  t.match(typed, /^node services\//);
  const added = await execute(container, typed, env);
  t.strictSame(added, { code: 0, out: 'added you@example.com as user 1\n' });

  const work = JSON.parse((await ask(`http://127.0.0.1:${ports.challenge}/api/captcha/pow`)).text);
  const answer = await ask(`http://127.0.0.1:${ports.session}/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: 'you@example.com',
      password: PASSWORD,
      pow_token: work.token,
      pow_nonce: solve(work),
    }),
  });
  t.equal(answer.status, 200, answer.text);
});

/** Starts session-service as the first process of a namespace. @returns its process id outside */
async function startContainer(t: Test, env: NodeJS.ProcessEnv, adminPort: number): Promise<number> {
  const program = [process.execPath, programOf('session-service')];
  const shell = spawn('unshare', [...IN_CONTAINER, ...program], {
    env,
    cwd: projectRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(shell, 'close');
  t.teardown(async () => {
    shell.kill('SIGKILL');
    await gone;
  });
  for (;;) {
    if (shell.exitCode !== null) throw new Error(`it exited with ${shell.exitCode}`);
    const answer = await ask(`http://127.0.0.1:${adminPort}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) return childOf(shell);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function childOf({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : 0;
}

/** Runs the rest of a `docker compose exec SERVICE` command, with the password piped in. */
async function execute(container: number, typed: string, env: NodeJS.ProcessEnv) {
  const [, ...args] = typed.split(' ');
  const child = spawn('nsenter', ['--pid', '--target', String(container), process.execPath, ...args], {
    env,
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stdin.end(`${PASSWORD}\n`);
  const [code] = await once(child, 'close');
  return { code, out };
}
