// Session in plain Node, without browser functions: a program logs in to the real services.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { startSessionSite } from '../support/session-site.js';

const program = fileURLToPath(new URL('../support/node-program.js', import.meta.url));
const bob = { email: 'bob@example.com', password: 'correct horse battery staple' };

t.test('a program logs in, refreshes silently, logs out, and exits', async (t) => {
  const site = await startSessionSite(t, { ACCESS_TTL: '4' }, [bob]);
  const demo = await site.credentials();
  const bodies = [demo, { ...(await site.credentials()), ...bob }].map((fields) => JSON.stringify(fields));
  // Its second session stays logged in.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, site.address, ...bodies], {
    timeout: 60_000,
  });
  t.equal(stderr, '');
  const people = [demo, bob].map(({ email }) => [200, email]);
  t.same(JSON.parse(stdout), {
    relative: 'TypeError',
    start: [false, false],
    logins: [200, 200],
    profiles: people,
    later: people,
    logout: { status: 'signed-out', expiresAtMs: null, reason: 'logged_out' },
    again: false,
    statuses: ['signed-out', 'signed-in'],
  });
  t.ok(site.count('POST /refresh') >= 4);
});
