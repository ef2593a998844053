// The service on a full disk, over HTTP.

import { join } from 'node:path';
import { mountSmallDisk } from '@tollgate/test-support/small-disk.js';
import t from 'tap';
import { openEmbeddedDirectory } from '../src/directory/embedded-directory.js';
import { hashPassword } from '../src/passwords/password-hash.js';
import { startRunningService } from './support/session-process.js';

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
