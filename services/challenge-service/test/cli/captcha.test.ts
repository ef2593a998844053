// The captcha command as run by an operator: prune, preview, site and attack.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openChallengeStore, openEmbeddedStore } from '@tollgate/shared/store';
import { callCommand, spawnCommand } from '@tollgate/test-support/command.js';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { readSites } from '../../extensions/drop-in/read-sites.js';
import { secretFinder } from '../../extensions/drop-in/site-secrets.js';
import { runCaptcha } from '../../src/cli/captcha.js';
import { drawSamples } from '../../src/cli/samples.js';
import { findPreset, resolvePresets } from '../../src/presets/presets.js';
import { openImages } from '../challenge-node.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/captcha.js', import.meta.url));
const LIBRARY = { CAPTCHA_DRIVER: '@napi-rs/canvas' };

const captcha = (args: string[], env: Readonly<Record<string, string>>) =>
  callCommand(() => runCaptcha(args, env));

t.test('prune removes expired entries from the embedded store and prints their number', async (t) => {
  const folder = tempDir(t);
  const path = join(folder, 'store.db');
  const store = openEmbeddedStore(path);
  const gone = Date.now() - 1;
  await store.transact((tx) => {
    for (let n = 0; n < 500; n++) tx.put(`captcha:img:{aa}:${n}`, 'x', gone);
    tx.put('captcha:img:{aa}:live', 'x', tx.nowMs + 3_600_000);
  });
  const env = { STORE_URL: `file:${path}` };
  t.strictSame(await captcha(['prune'], env), {
    code: 0,
    out: `removed 500 expired entries from ${path}\n`,
    error: '',
  });
  t.equal((await captcha(['prune'], env)).out, `removed 0 expired entries from ${path}\n`);
  t.equal(await store.read('captcha:img:{aa}:live'), 'x', 'while a service has the file open');
  await store.close();
});

t.test('--help prints the usage, and a wrong option prints one short line above it', async (t) => {
  for (const { code, out, error } of [
    await spawnCommand(COMMAND, ['--help']),
    await captcha(['-h'], {}),
    await captcha(['preview', '--help'], {}),
  ]) {
    t.strictSame({ code, error }, { code: 0, error: '' });
    t.match(out, /^usage: captcha prune/);
  }
  const { code, out, error } = await captcha(['preview', '--size', '3'], {});
  t.strictSame({ code, out }, { code: 2, out: '' });
  t.match(error, /^captcha: Unknown option '--size'\nusage: captcha prune/);
});

t.test('site generates a secret and prints its hash for SITES', async (t) => {
  const names = ['--hostname', 'shop.example', '--hostname', '*.shop.example'];
  const { code, out } = await captcha(['site', 'shop', ...names], {});
  t.equal(code, 0);
  const secret = /^secret: +([A-Za-z0-9_-]{43})$/m.exec(out)?.[1] ?? '';
  const sites = readSites(out.slice(out.indexOf('{')), '/');
  t.match([...sites], [['shop', { hostnames: ['shop.example', '*.shop.example'] }]]);
  t.equal(secretFinder(sites.values())(secret)?.site.key, 'shop');
  const random = await captcha(['site', '--hostname', '*'], {});
  t.match(random.out, /^site key: [A-Za-z0-9]{20}$/m);
  for (const wrong of [[], ['a b', ...names], ['a', 'b', ...names], ['--hostname', 'https://shop.example']])
    t.match(await captcha(['site', ...wrong], {}), { code: 2, out: '' }, wrong.join(' '));
  t.equal((await captcha(['site', 'shop', '--count', '1', ...names], {})).code, 2);
  t.equal((await captcha(['prune', ...names], {})).code, 2);
});

t.test('prune reports that nothing needs pruning on Redis or without a store', async (t) => {
  const { redis } = await redisStore(t);
  await redis.client.set('captcha:options', 'x');
  t.strictSame(await captcha(['prune'], { CAPTCHA_CACHE_STORE: redis.url }), {
    code: 0,
    out: 'nothing to do: Redis removes what has expired by itself\n',
    error: '',
  });
  t.equal(await redis.client.get('captcha:options'), 'x');
  const folder = tempDir(t);
  t.strictSame(await captcha(['prune'], { DATA_DIR: folder }), {
    code: 0,
    out: `nothing to do: there is no store at ${join(folder, 'tollgate.db')} yet\n`,
    error: '',
  });
  t.strictSame(readdirSync(folder), [], 'it creates none');
  const wrong = await captcha(['prune'], { CAPTCHA_CACHE_STORE: 'mysql://x' });
  t.strictSame([wrong.code, wrong.out], [1, '']);
  t.match(wrong.error, /^captcha: CAPTCHA_CACHE_STORE must /);
});

t.test(
  'preview draws sample images of a preset through the store, and a page that shows them all',
  async (t) => {
    const { redis } = await redisStore(t);
    const folder = tempDir(t);
    const path = join(folder, 'presets.json');
    writeFileSync(path, JSON.stringify({ large: { picture: { width: 400 } } }));
    for (const store of [{ DATA_DIR: join(folder, 'data') }, { STORE_URL: redis.url }]) {
      const target = join(folder, Object.keys(store)[0] ?? '', 'samples');
      const env = { ...LIBRARY, ...store, CAPTCHA_PRESETS: path };
      const args = ['preview', '--preset', 'large', '--count', '3', '--path', target];
      t.strictSame(await captcha(args, env), {
        code: 0,
        out: `drew 3 of large into ${target}; open ${join(target, 'index.html')}\n`,
        error: '',
      });
      const files = ['large-0001.png', 'large-0002.png', 'large-0003.png'];
      t.strictSame(readdirSync(target).sort(), ['index.html', ...files]);
      for (const file of files) t.equal(readFileSync(join(target, file)).readUInt32BE(16), 800);
      const page = readFileSync(join(target, 'index.html'), 'utf8');
      t.strictSame(
        page.match(/src="([^"]+)"/g),
        files.map((file) => `src="${file}"`),
      );
      t.equal(page.match(/<code>\w{6}<\/code>/g)?.length, 3, 'with the answers');
    }
    const records = await redis.client.keys('captcha:img:*');
    t.equal(records.length, 3, 'as live challenges are issued');
    for (const key of records) t.ok((await redis.client.ttl(key)) > 0);
  },
);

t.test('preview shows the fields of challenge types without images', async (t) => {
  const folder = tempDir(t);
  const module = join(folder, 'own.mjs');
  writeFileSync(
    module,
    `export const kinds = [{ name: 'sum', make: () => ({ answer: '4', fields: { question: '<b>2 & 2</b>' } }) }];
     export const presets = { sum: { kind: 'sum' } };`,
  );
  const env = { ...LIBRARY, DATA_DIR: folder, CAPTCHA_MODULE: module };
  const { code } = await spawnCommand(
    COMMAND,
    ['preview', '--preset', 'sum', '--count', '1', '--path', 'out'],
    env,
    '',
    folder,
  );
  t.equal(code, 0);
  t.strictSame(
    readdirSync(join(folder, 'out')),
    ['index.html'],
    'a relative path starts in the working folder',
  );
  const page = readFileSync(join(folder, 'out', 'index.html'), 'utf8');
  t.match(page, '&#60;b&#62;2 &#38; 2&#60;/b&#62;');
  t.notMatch(page, '<b>');
});

t.test('an error prints one line with its reason', async (t) => {
  const folder = tempDir(t);
  const { redis } = await redisStore(t);
  await redis.stop();
  writeFileSync(join(folder, 'a file'), '');
  const path = ['--path', join(folder, 'out')];
  const own = { CAPTCHA_PRESETS: '{ "large": {} }' };
  const renderer = join(folder, 'renderer.mjs');
  writeFileSync(
    renderer,
    `export const renderer = { name: 'mine', render: (text) => { throw new RangeError(text); } };`,
  );
  const lines: [string[], Record<string, string>, number, RegExp][] = [
    [
      ['preview', ...path],
      { CAPTCHA_MODULE: renderer },
      1,
      /^captcha: the renderer mine threw RangeError\n$/,
    ],
    [[], {}, 2, /^usage: captcha prune\n {7}captcha preview /],
    [['__proto__'], {}, 2, /^captcha: Unknown command '__proto__'\nusage: /],
    [['prune', '--count', '3'], {}, 2, /^captcha: Missing or wrong arguments of 'prune'\nusage: /],
    [['preview'], {}, 2, /^captcha: preview needs --path, the folder for the samples\nusage: /],
    [
      ['preview', '--count', '0', ...path],
      {},
      2,
      /^captcha: --count must be a whole number from 1 to 1000\n/,
    ],
    [['preview', '--size', '3', ...path], {}, 2, /^captcha: Unknown option '--size'/],
    [
      ['preview', '--preset', 'big', ...path],
      own,
      1,
      /^captcha: there is no preset "big"; there are default, large\n$/,
    ],
    [['preview', '--preset', '__proto__', ...path], {}, 1, /^captcha: there is no preset "__proto__"; /],
    [['preview', '--preset', 'effort', ...path], {}, 1, /^captcha: effort is work and has no image\n$/],
    [
      ['preview', ...path],
      { CAPTCHA_PRESETS: '{ "a": { "wave": 1 } }' },
      1,
      /^captcha: CAPTCHA_PRESETS a\.wave must/,
    ],
    [['preview', ...path], { STORE_URL: redis.url }, 1, /^captcha: the store of STORE_URL is unreachable\n$/],
    [
      ['preview', ...path],
      { CAPTCHA_CACHE_STORE: redis.url },
      1,
      /^captcha: the store of CAPTCHA_CACHE_STORE is unreachable\n$/,
    ],
    [
      ['preview', '--count', '1', '--path', join(folder, 'a file', 'out')],
      {},
      1,
      /^captcha: .* cannot be written: ENOTDIR\n$/,
    ],
  ];
  for (const [args, env, code, words] of lines) {
    const ended = await captcha(args, { ...LIBRARY, DATA_DIR: folder, ...env });
    t.strictSame([ended.code, ended.out], [code, ''], args.join(' '));
    t.match(ended.error, words);
  }
  t.notOk(existsSync(join(folder, 'out')));
});

t.test(
  'when the two sides use different stores, the drawing side reports an expired challenge',
  async (t) => {
    const images = await openImages(t);
    const options = resolveCaptchaOptions();
    const { presets } = resolvePresets({ options });
    const known = findPreset(presets, '');
    if (known === undefined) throw new Error('there is no default preset');
    const [one, other] = [await redisStore(t), embeddedStore(t)];
    for (const [issuedOn, drawnOn] of [
      [one, other],
      [other, one],
    ] as const) {
      const deps = {
        options,
        presets,
        images,
        issuing: openChallengeStore(issuedOn.store, 'captcha'),
        drawing: openChallengeStore(drawnOn.store, 'captcha'),
      };
      await t.rejects(drawSamples(deps, known, 1), { message: /^the challenge has expired: / });
      t.equal((await drawSamples({ ...deps, drawing: deps.issuing }, known, 2)).length, 2);
    }
  },
);

t.test(
  'attack raises the price manually on either store, lowers it again, and prints the status',
  async (t) => {
    const { redis } = await redisStore(t);
    const file = embeddedStore(t);
    for (const url of [redis.url, file.url]) {
      const env = { CAPTCHA_CACHE_STORE: url, CAPTCHA_LOAD_LEVELS: '2,4,6', CAPTCHA_CACHE_PREFIX: 'shop' };
      const attack = (...words: string[]) => captcha(['attack', ...words], env);
      t.match(await attack('off'), { code: 0, out: 'the price was not raised by hand\n', error: '' });
      t.match(await attack('on', '--minutes', '30', '--bits', '3'), {
        code: 0,
        out: 'work costs 3 bits more for 30 minutes; end it sooner with: captcha attack off\n',
        error: '',
      });
      const { out } = await attack('status');
      t.match(
        out,
        /^by hand: 3 bits for another 30 minutes\nby load: level 0 of 3, 0 bits\nfloor: 19 bits, 16 without it\n/,
      );
      t.match(
        (await captcha(['attack', 'status'], { CAPTCHA_CACHE_STORE: url })).out,
        /^by hand: no\nby load: off/,
      );
      t.equal((await attack('on')).code, 0, 'the defaults');
      t.match((await attack('status')).out, /^by hand: 4 bits for another 60 minutes/);
      t.match(
        (await attack('on', '--minutes', '1', '--bits', '1')).out,
        /^work costs 1 bit more for 1 minute;/,
      );
      t.match((await attack('status')).out, /^by hand: 1 bit for another 1 minute\n/);
      t.equal((await attack('off')).out, 'the price is no longer raised by hand\n');
      t.match((await attack('status')).out, /^by hand: no\n/);
    }
  },
);

t.test(
  'attack on and passes make created an empty store in the wrong folder, and reported success',
  async (t) => {
    const folder = tempDir(t);
    const url = `file:${join(folder, 'tollgate.db')}`;
    const hint = 'start the service first, or set CAPTCHA_CACHE_STORE or DATA_DIR';
    for (const words of [
      ['attack', 'on'],
      ['attack', 'status'],
      ['passes', 'make', 'nightly', '--application', 'shop', '--days', '9', '--per-minute', '9'],
      ['passes', 'list'],
    ]) {
      t.match(await captcha(words, { CAPTCHA_CACHE_STORE: url }), {
        code: 1,
        out: '',
        error: `captcha: there is no ${url} (CAPTCHA_CACHE_STORE): ${hint}\n`,
      });
    }
    t.strictSame(readdirSync(folder), []);
  },
);

t.test('attack rejects unknown arguments', async (t) => {
  for (const words of [
    [],
    ['maybe'],
    ['on', 'off'],
    ['on', '--bits', '0'],
    ['on', '--bits', '24'],
    ['on', '--bits', '4.5'],
    ['on', '--minutes', '1441'],
    ['on', '--minutes', '-1'],
    ['on', '--path', 'x'],
    ['off', '--bits', '4'],
    ['status', '--minutes', '4'],
  ]) {
    const { code, error } = await captcha(['attack', ...words], {});
    t.equal(code, 2, words.join(' '));
    t.match(error, /usage: captcha prune/);
  }
  t.equal((await captcha(['prune', '--bits', '4'], {})).code, 2);
  const { code, error } = await captcha(['attack', 'status'], { CAPTCHA_LOAD_LEVELS: '4,2' });
  t.equal(code, 1);
  t.match(error, /^captcha: CAPTCHA_LOAD_LEVELS must rise/);
});
