// The users command in a second container, beside the running service: `docker compose run … users.js add`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { namespacesMissing, nodeInNamespace } from '@tollgate/test-support/pid-namespace.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { startRunningService } from '../support/session-process.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/users.js', import.meta.url));
const PASSWORD = 'right password';

async function usersInNamespace(
  folder: string,
  args: readonly string[],
): Promise<{ code: number; out: string }> {
  const { execPath, execArgv } = nodeInNamespace;
  const child = spawn(execPath, [...execArgv, COMMAND, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stdin.end(`${PASSWORD}\n`);
  const [code] = await once(child, 'close');
  return { code, out };
}

t.test(
  'an account could not be added from a second container while the service ran in the first',
  { skip: namespacesMissing() },
  async (t) => {
    const folder = tempDir(t);
    const { publicUrl } = await startRunningService(t, { DATA_DIR: folder }, nodeInNamespace);
    const logIn = async (email: string) => {
      const answer = await fetch(`${publicUrl}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://localhost:8080' },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      return answer.status;
    };
    t.equal(await logIn('ada@example.com'), 422);
    const emails = ['ada@example.com', 'bob@example.com', 'eve@example.com'];
    const added = await Promise.all(emails.map((email) => usersInNamespace(folder, ['add', email])));
    t.strictSame(
      added.map(({ code }) => code),
      [0, 0, 0],
    );
    for (const email of emails) t.equal(await logIn(email), 200);
    t.match(await usersInNamespace(folder, ['disable', 'bob@example.com']), { code: 0 });
    t.equal(await logIn('bob@example.com'), 422);
    const copy = join(folder, 'copy');
    t.strictSame(await usersInNamespace(folder, ['backup', copy]), {
      code: 0,
      out: `copied 3 users to ${copy}\n`,
    });
  },
);
