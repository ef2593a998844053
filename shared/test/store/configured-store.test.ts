// A configured store: its address, errors reported by the variable, and the modes of its files.

import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationLines } from '@tollgate/test-support/configuration-lines.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { openConfiguredStore, openStore } from '../../src/store/open-store.js';
import { filesOpenToOthers } from '../../src/store/private-file.js';
import { describeStoreUrl, parseStoreUrl } from '../../src/store/store-url.js';
import { watchStore } from '../../src/store/watch/store-watch.js';

const ROOT = '/srv/app';

t.test('each form of address is parsed', async (t) => {
  const cases: Record<string, unknown> = {
    'file:data/x.db': { kind: 'embedded', path: '/srv/app/data/x.db' },
    'file:./x.db': { kind: 'embedded', path: '/srv/app/x.db' },
    'file:/var/x.db': { kind: 'embedded', path: '/var/x.db' },
    'file:///var/x.db': { kind: 'embedded', path: '/var/x.db' },
    'file:a folder/100%.db': { kind: 'embedded', path: '/srv/app/a folder/100%.db' },
    'redis://h': { kind: 'redis', url: 'redis://h' },
    'redis://u:p%40@h:6380/3': { kind: 'redis', url: 'redis://u:p%40@h:6380/3' },
    'rediss://[::1]:6380/': { kind: 'redis', url: 'rediss://[::1]:6380/' },
    'redis+cluster://h1:7000,h2': {
      kind: 'cluster',
      nodes: [
        { host: 'h1', port: 7000 },
        { host: 'h2', port: 6379 },
      ],
    },
    'redis+cluster://u:p%40%2f@[::1]:7000,[fe80::2]/': {
      kind: 'cluster',
      nodes: [
        { host: '::1', port: 7000 },
        { host: 'fe80::2', port: 6379 },
      ],
      username: 'u',
      password: 'p@/',
    },
    'redis+sentinel://s1,s2:26380/main': {
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26379 },
        { host: 's2', port: 26380 },
      ],
      name: 'main',
      db: 0,
    },
    'redis+sentinel://:secret@s1/main/4/': {
      kind: 'sentinel',
      sentinels: [{ host: 's1', port: 26379 }],
      name: 'main',
      db: 4,
      password: 'secret',
    },
    'rediss+cluster://:secret@h1': {
      kind: 'cluster',
      nodes: [{ host: 'h1', port: 6379 }],
      usesTls: true,
      password: 'secret',
    },
    'rediss+sentinel://s1/main': {
      kind: 'sentinel',
      sentinels: [{ host: 's1', port: 26379 }],
      name: 'main',
      db: 0,
      usesTls: true,
    },
  };
  for (const [url, address] of Object.entries(cases)) t.strictSame(parseStoreUrl(url, ROOT), address, url);
});

t.test('everything else is rejected without repeating it', async (t) => {
  const urls = [
    '',
    'file:',
    'data/x.db',
    'http://hunter2@h',
    'redis:h',
    'redis://',
    'redis:///3',
    'redis://:hunter2@',
    'redis://:hunter2@h:99999',
    'redis://:hunter2@h/three',
    'redis://:hunter2@h/-3',
    'redis://:hunter2%@h',
    'redis://hunter2%zz@h',
    'redis://:hunter2/@h',
    'Redis://:hunter2@h',
    'redis+cluster://',
    'redis+cluster:///',
    'redis+cluster://:hunter2%@h',
    'redis+cluster://hunter2%:x@h',
    'redis+cluster://:x@hunter2@h:1',
    'redis+cluster://h:0',
    'redis+cluster://h:65536',
    'redis+cluster://h:port',
    'redis+cluster://h:',
    'redis+cluster://h:1e3',
    'redis+cluster://h1,,h2',
    'redis+cluster://h1, h2',
    'redis+cluster://::1:7000',
    'redis+sentinel://:hunter2@s1',
    'redis+sentinel://:hunter2@s1/',
    'redis+sentinel://s1/main/four',
    'redis+other://h',
    'rediss+other://h',
    'redisss+cluster://h',
  ];
  for (const url of urls) {
    const error = t.throws(() => parseStoreUrl(url, ROOT), RangeError, url) as Error;
    t.notMatch(error.message, 'hunter2', url);
    t.match(error.message, /^(?:must be|has|redis\+sentinel:\/\/ needs) /, url);
  }
});

t.test('an address is displayed without user, password and options', async (t) => {
  const cases = {
    'redis://h:1/2': 'redis://h:1/2',
    'redis://u:hunter2@h:1/2': 'redis://h:1/2',
    'redis://:hun@ter2@h': 'redis://h',
    'redis://:hun/ter2@h': 'redis://h',
    'redis://h:1?password=hunter2': 'redis://h:1',
    'redis+cluster://u:hunter2@h1:1,h2:2/': 'redis+cluster://h1:1,h2:2/',
    'redis+sentinel://:hunter2@s1/main/3': 'redis+sentinel://s1/main/3',
    'rediss+cluster://u:hunter2@h1,h2:2/': 'rediss+cluster://h1,h2:2/',
    'file:data/a@b?.db': 'file:data/a@b?.db',
    'file:///a//b@c.db': 'file:///a//b@c.db',
  };
  for (const [url, shown] of Object.entries(cases)) t.equal(describeStoreUrl(url), shown);
});

// Errors in a store variable, reported by its name.

t.test('a URL of no known form causes one line that begins with the variable', async (t) => {
  t.strictSame(
    configurationLines(() => openConfiguredStore('STORE_URL', 'postgres://u:hunter2@h', '.')),
    [
      'STORE_URL must be file:PATH, redis://…, rediss://…, redis+cluster://host:port,…/ or redis+sentinel://host:port,…/NAME/DB, with TLS rediss+…',
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

// The embedded store's files are accessible to their owner alone.

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const PRIVATE = { 'tollgate.db': '600', 'tollgate.db-shm': '600', 'tollgate.db-wal': '600' };

/** Opens and closes a store in a folder, and returns the modes of all files in it. */
async function modesAfterOpening(folder: string): Promise<Record<string, string>> {
  const store = openStore(`file:${join(folder, 'tollgate.db')}`, '/');
  if (store.kind !== 'embedded') throw new TypeError('a file is an embedded store');
  await store.transact((transaction) => transaction.put('key', 'value', transaction.nowMs + 60_000));
  const modes = Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));
  await store.close();
  return modes;
}

t.test('tollgate.db is readable by its owner alone', async (t) => {
  const before = process.umask(0);
  t.teardown(() => process.umask(before));
  const folder = join(tempDir(t), 'new', 'data');
  t.strictSame(await modesAfterOpening(folder), PRIVATE);
  t.equal(modeOf(folder), '700');
});

t.test('existing files become private, and an existing folder is unchanged', async (t) => {
  const folder = join(tempDir(t), 'data');
  mkdirSync(folder, { mode: 0o755 });
  await modesAfterOpening(folder);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o664);
  t.strictSame(await modesAfterOpening(folder), PRIVATE);
  t.equal(modeOf(folder), '755');
});

t.test('a file readable by others with a mode that cannot be changed is logged', async (t) => {
  const path = join(tempDir(t), 'tollgate.db');
  const store = openStore(`file:${path}`, '/');
  t.teardown(() => store.close());
  const told: object[] = [];
  const log = { info() {}, warn: (about: object) => void told.push(about) };
  const watch = () => watchStore(store, { variable: 'STORE_URL', holds: ['sessions'], log });
  watch();
  t.strictSame(told, []);
  chmodSync(path, 0o640);
  t.strictSame(filesOpenToOthers(path), [path]);
  watch();
  t.strictSame(told, [{ path }]);
});
