// A service process on a full disk, and under a flood of logins.

import { Agent, type IncomingMessage, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openEmbeddedStore } from '@tollgate/shared/store';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openEmbeddedDirectory } from '../src/directory/embedded-directory.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import { startRunningService } from './support/session-process.js';

// Hashing exhausts CPU and memory: of 500 parallel logins a limited number is hashed, and the others cost little.

/** Running and waiting hashes for each processor except one. */
const PLACES = 33;

t.test(
  '500 parallel logins: those beyond the queue get 503 without counting as failures, and the service continues',
  async (t) => {
    // The embedded store, because a slow Redis on a busy machine would add a third kind of response.
    const path = join(tempDir(t), 'store.db');
    const { publicUrl, adminUrl } = await startRunningService(t, {
      STORE_URL: `file:${path}`,
      RATE_LIMIT_LOGIN: '100000',
      RATE_LIMIT_REFRESH: '100000',
    });
    const agent = new Agent({ keepAlive: true });
    t.teardown(() => agent.destroy());
    const logIn = async (email: string) => {
      const body = JSON.stringify({ email, password: 'a password' });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        request(`${publicUrl}/login`, { method: 'POST', agent, headers }, resolve)
          .on('error', reject)
          .end(body),
      );
      const { code } = JSON.parse(await text(response)) as { code: string };
      return { answer: `${response.statusCode} ${code}`, headers: response.headers };
    };

    const count = Math.max(500, 2 * PLACES * (availableParallelism() - 1));
    let hashing = true;
    const flood = Promise.all(Array.from({ length: count }, (_, n) => logIn(`nobody-${n}@example.com`)));
    const refreshes = (async () => {
      const seen = new Set<number>();
      while (hashing) seen.add((await fetch(`${publicUrl}/refresh`, { method: 'POST' })).status);
      return seen;
    })();
    const answers = await flood.finally(() => {
      hashing = false;
    });
    t.strictSame(await refreshes, new Set([401]), 'refreshes are answered meanwhile');

    const overloaded = answers.filter(({ answer }) => answer === '503 overloaded');
    const failed = answers.filter(({ answer }) => answer === '422 login_failed');
    t.comment(`${failed.length} were hashed, ${overloaded.length} were refused`);
    t.equal(failed.length + overloaded.length, count, 'there is no third answer');
    t.ok(overloaded.length > 0 && failed.length >= PLACES);
    for (const { headers } of overloaded) {
      if (headers['retry-after'] !== '1' || headers['set-cookie'] !== undefined) t.fail('a wrong refusal');
    }
    const store = openEmbeddedStore(path);
    t.teardown(() => store.close());
    const recorded = await store.keys('captcha:fail:');
    t.equal(recorded.length, failed.length, 'only what was hashed is a failure of its account');
    t.equal((await store.keys('captcha:wait:')).length, failed.length, 'and of its pair');
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    t.match(metrics, /^tollgate_audit_events_total\{event="login_failed"\} (\d+)$/m);
  },
);

// A full disk.

const PASSWORD = 'right password';
const ORIGIN = 'http://localhost:8080';
const disk = mountSmallDisk(t, 2);
const skip = disk === undefined && 'SKIPPED: this user may not mount a file system';

t.test('a temporarily full disk stopped the service', { skip }, async (t) => {
  if (disk === undefined) return;
  const folder = join(disk.folder, 'data');
  const directory = openEmbeddedDirectory(join(folder, 'users.db'));
  await directory.add('ada@example.com', await hashPassword(PASSWORD));
  await directory.close();
  const { publicUrl, adminUrl } = await startRunningService(t, {
    DATA_DIR: folder,
    REFRESH_WINDOW: '0',
    RATE_LIMIT_REFRESH: '100000',
  });
  const logIn = () =>
    fetch(`${publicUrl}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify({ email: 'ada@example.com', password: PASSWORD }),
    });
  const cookieOf = (answer: Response) => answer.headers.getSetCookie().at(0)?.split(';')[0] ?? '';
  const refresh = (cookie: string) =>
    fetch(`${publicUrl}/refresh`, { method: 'POST', headers: { cookie, origin: ORIGIN } });

  let cookie = cookieOf(await logIn());
  const other = cookieOf(await logIn());
  disk.fill();
  let answer = await refresh(cookie);
  for (; answer.status === 200; answer = await refresh(cookie)) cookie = cookieOf(answer);
  t.equal(answer.status, 503);
  t.match(answer.headers.get('retry-after'), /^[1-9]/);
  t.strictSame(answer.headers.getSetCookie(), [], 'the cookie is kept');
  const refused = await logIn();
  t.equal(refused.status, 503);
  t.match(refused.headers.get('retry-after'), /^[1-9]/);
  t.equal((await fetch(`${adminUrl}/health/live`)).status, 200);

  disk.free();
  t.equal((await refresh(cookie)).status, 200, 'the session lives');
  t.equal((await refresh(other)).status, 200, 'and so does the other');
  t.equal((await logIn()).status, 200);
});
