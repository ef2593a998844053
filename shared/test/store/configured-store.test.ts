// Errors in a store variable, reported by its name.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openConfiguredStore } from '../../src/store/open-store.js';

t.test('a URL of no known form causes one line that begins with the variable', async (t) => {
  t.strictSame(
    configurationLines(() => openConfiguredStore('STORE_URL', 'postgres://u:hunter2@h', '.')),
    [
      'STORE_URL must be file:PATH, redis://…, rediss://…, redis+cluster://host:port,…/ or redis+sentinel://host:port,…/NAME/DB',
    ],
  );
  t.strictSame(
    configurationLines(() => openConfiguredStore('CAPTCHA_CACHE_STORE', 'redis://:hunter2%@h', '.')),
    ['CAPTCHA_CACHE_STORE has a user or a password with a % that is not percent-encoded (%25)'],
  );
});

t.test('a file that cannot be opened causes one line with its URL and the reason', async (t) => {
  const folder = tempDir(t);
  writeFileSync(join(folder, 'file'), 'x');
  const lines = configurationLines(() => openConfiguredStore('STORE_URL', 'file:file/store.db', folder));
  t.equal(lines.length, 1);
  t.match(lines[0], /^STORE_URL file:file\/store\.db cannot be opened: (?:ENOTDIR|EEXIST)/);
  mkdirSync(join(folder, 'folder'));
  t.match(
    configurationLines(() => openConfiguredStore('STORE_URL', 'file:folder', folder)),
    [/^STORE_URL file:folder cannot be opened: /],
  );
});

t.test('an unreachable Redis is no configuration error', async (t) => {
  const store = openConfiguredStore('STORE_URL', 'redis://127.0.0.1:1', '.');
  t.equal(store.kind, 'redis');
  await store.close();
});
