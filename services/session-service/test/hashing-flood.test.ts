// Hashing exhausts CPU and memory: of 500 parallel logins a limited number is hashed, and the others cost little.

import { Agent, type IncomingMessage, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openEmbeddedStore } from '@tollgate/shared/store';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { startRunningService } from './support/session-process.js';

/** Running and waiting hashes for each processor except one. */
const PLACES = 33;

t.setTimeout(90_000);

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
