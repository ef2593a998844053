// The keys command as run by an operator.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createSigningKey,
  exportAccessKeys,
  jwksOf,
  openKeyRing,
  openSigningKeys,
} from '@tollgate/shared/crypto';
import { openKeyRecord, REPORT_EVERY_MS } from '@tollgate/shared/store';
import { callCommand, spawnCommand } from '@tollgate/test-support/command.js';
import { eachKind, embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { readKeyReports } from '../../src/cli/key-reports.js';
import { keyStatus } from '../../src/cli/key-status.js';
import { runKeys } from '../../src/cli/keys.js';
import { acceptedKeys, type KeyLifetimes, runningKeys } from '../../src/domain/key-roll-out.js';
import { SECRETS } from '../support/session-node.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/keys.js', import.meta.url));
const LIVES: KeyLifetimes = {
  access: 900,
  refresh: 604_800,
  challenge: 900,
  decay: 900,
};
const WRONG_LINES = [
  ['create-signing-key', 'RS256'],
  ['create-signing-key', 'ES256', 'EdDSA'],
  ['export-public', '--jwks'],
  ['export-public', '--pem', 'x'],
];

const keys = (args: string[], env: Readonly<Record<string, string>>) => callCommand(() => runKeys(args, env));

/** The key report of a node with these lists. */
function running(lists: Partial<typeof SECRETS>) {
  const all = { ...SECRETS, ...lists };
  return runningKeys({
    accessSecrets: openKeyRing(all.ACCESS_SECRET),
    refreshSecrets: openKeyRing(all.REFRESH_SECRET),
    encryptionKeys: openKeyRing(all.ENCRYPTION_KEY),
    challengeSecrets: openKeyRing(all.CHALLENGE_SECRET),
  });
}

t.test('export-access prints the derived access token keys and no secret', async (t) => {
  const { ENCRYPTION_KEY } = SECRETS;
  const { code, out, error } = await keys(['export-access'], { ENCRYPTION_KEY });
  t.equal(code, 0);
  t.equal(error, '');
  t.equal(out, `${exportAccessKeys(openKeyRing(ENCRYPTION_KEY))}\n`);
  t.notMatch(out, ENCRYPTION_KEY);
  t.strictSame(await keys(['export-access'], { ENCRYPTION_KEY: 'too short' }), {
    code: 1,
    out: '',
    error: 'keys: ENCRYPTION_KEY must have at least 32 characters in each element\n',
  });
});

t.test('export-access reads the key from a file', async (t) => {
  const { ENCRYPTION_KEY } = SECRETS;
  const folder = t.testdir({ key: `${ENCRYPTION_KEY}\n` });
  const { out } = await keys(['export-access'], { ENCRYPTION_KEY_FILE: join(folder, 'key') });
  t.equal(out, `${exportAccessKeys(openKeyRing(ENCRYPTION_KEY))}\n`);
  const missing = join(folder, 'missing');
  t.strictSame(await keys(['export-access'], { ENCRYPTION_KEY_FILE: missing }), {
    code: 1,
    out: '',
    error: `keys: ENCRYPTION_KEY_FILE names a file that cannot be read: ${missing} (file not found)\n`,
  });
});

t.test('without ENCRYPTION_KEY export-access prints where npm start stores it', async (t) => {
  for (const env of [{}, { ENCRYPTION_KEY: '' }] as Record<string, string>[]) {
    t.strictSame(await keys(['export-access'], env), {
      code: 1,
      out: '',
      error:
        'keys: ENCRYPTION_KEY is missing: it must be that of the service; after npm start it is in secrets.json in DATA_DIR\n',
    });
  }
});

t.test('create-signing-key prints an element for ACCESS_SIGNING_KEYS, a new one each time', async (t) => {
  const made: string[] = [];
  for (const [option, algorithm] of [[], ['ES256'], ['EdDSA']].map(
    (options) => [options, options[0] ?? 'ES256'] as const,
  )) {
    const { code, out, error } = await keys(['create-signing-key', ...option], {});
    t.strictSame({ code, error }, { code: 0, error: '' });
    t.match(out, new RegExp(`^${algorithm}:[A-Za-z0-9_-]{43}\n$`));
    made.push(out.trim());
  }
  t.equal(new Set(made).size, 3);
  t.equal(openSigningKeys(made.join(',')).all.length, 3);
});

t.test('export-public prints the public keys, as a set or in PEM, and no secret', async (t) => {
  const list = `${createSigningKey('ES256')},${createSigningKey('EdDSA')}`;
  const { all } = openSigningKeys(list);
  const folder = t.testdir({ keys: `${list}\n` });
  for (const env of [{ ACCESS_SIGNING_KEYS: list }, { ACCESS_SIGNING_KEYS_FILE: join(folder, 'keys') }]) {
    const set = await keys(['export-public'], env as Record<string, string>);
    t.strictSame(set, { code: 0, out: `${JSON.stringify(jwksOf(all))}\n`, error: '' });
    const pem = await keys(['export-public', '--pem'], env as Record<string, string>);
    t.equal(pem.code, 0);
    t.equal(pem.out, all.map(({ key }) => key.export({ type: 'spki', format: 'pem' })).join(''));
    for (const element of list.split(',')) {
      t.notMatch(`${set.out}${pem.out}`, element.split(':')[1]);
    }
  }
  for (const [env, message] of [
    [
      {},
      'ACCESS_SIGNING_KEYS is missing: it must be that of the service; after ACCESS_TOKEN_FORMAT=public npm start it is in secrets.json in DATA_DIR',
    ],
    [
      { ACCESS_SIGNING_KEYS: `${list}x` },
      'ACCESS_SIGNING_KEYS must be an output of keys create-signing-key, or a comma-separated list of them',
    ],
    [{ ACCESS_SIGNING_KEYS: `${list},${list}` }, 'ACCESS_SIGNING_KEYS must not have the same element twice'],
  ] as [Record<string, string>, string][]) {
    t.strictSame(await keys(['export-public'], env), { code: 1, out: '', error: `keys: ${message}\n` });
  }
});

t.test('--help prints the usage', async (t) => {
  for (const { code, out, error } of [
    await spawnCommand(COMMAND, ['--help']),
    await keys(['-h'], {}),
    await keys(['status', '--help'], {}),
  ]) {
    t.strictSame({ code, error }, { code: 0, error: '' });
    t.match(out, /^usage: keys export-access\n {7}keys status\n/);
  }
});

t.test('an invalid command line prints the usage', async (t) => {
  for (const args of [[], ['export'], ['status', 'now'], ['__proto__'], ...WRONG_LINES]) {
    const { code, out, error } = await keys(args, {});
    t.equal(code, 2);
    t.equal(out, '');
    t.match(error, /^(keys: [^\n]*\n)?usage: keys export-access\n {7}keys status\n/);
    t.equal(error.startsWith('usage: '), args.length === 0, 'a mistake is named');
  }
});

t.test('status guides the operator through the three rollouts', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const status = async () => keyStatus(await readKeyReports(store, undefined), LIVES).join('\n');
    const old = SECRETS.ENCRYPTION_KEY;
    const next = 'the-next-encryption-key-of-this-test-0123456789';
    const [oldId, nextId] = [openKeyRing(old).current.id, openKeyRing(next).current.id];
    const both = async (list: string) => {
      for (const node of ['one', 'two']) await record.report(node, running({ ENCRYPTION_KEY: list }), true);
    };
    t.equal(await status(), 'no node has reported its keys yet: start the services on these stores first');

    await both(old);
    t.match(await status(), 'ENCRYPTION_KEY, on 2 nodes:\n  append: a new key may be appended to the list');
    await record.report('one', running({ ENCRYPTION_KEY: `${old},${next}` }), true);
    t.match(await status(), `  wait: ${nextId} is accepted by 1 of 2 nodes`);
    await both(`${old},${next}`);
    t.match(await status(), `  front: ${nextId} may be moved to the front`);
    await record.report('one', running({ ENCRYPTION_KEY: `${next},${old}` }), true);
    t.match(await status(), /wait: some nodes use [0-9a-f]{8} and others [0-9a-f]{8}/);
    await both(`${next},${old}`);
    t.match(await status(), new RegExp(`  wait: ${oldId} may be dropped from 20\\d\\d-\\S+Z on`));
    await age(604_800_000);
    await both(`${next},${old}`);
    t.match(await status(), `  wait: ${oldId} may be dropped`, 'the last report may be an hour old');
    await age(3_700_000);
    await both(`${next},${old}`);
    t.match(await status(), `  drop: ${oldId} may be dropped`);
    await both(next);
    const done = await status();
    t.match(done, 'ENCRYPTION_KEY, on 2 nodes:\n  append:');
    t.match(done, /CHALLENGE_SECRET[\s\S]*resets the failures and delays[^\n]* 900 s of failures/);
    for (const secret of [...Object.values(SECRETS), next]) t.notMatch(done, secret);
  });
});

t.test('status reads the store in STORE_URL, or reports that it is unavailable', async (t) => {
  const { store, redis } = await redisStore(t);
  await openKeyRecord(store).report('one', running({}), true);
  const { code, out, error } = await keys(['status'], { STORE_URL: redis.url });
  t.equal(code, 0);
  t.equal(error, '');
  t.match(out, /^ACCESS_SECRET, on 1 node:\n {2}append: a new key may be appended to the list\n/);
  t.match(
    out,
    '\nLongest lives: access tokens 900 s, refresh tokens 604800 s, challenges and scope tickets ',
  );
  await redis.stop();
  t.strictSame(await keys(['status'], { STORE_URL: redis.url }), {
    code: 1,
    out: '',
    error: 'keys: the store of STORE_URL is unreachable\n',
  });
});

t.test('CHALLENGE_SECRET is checked against the nodes of both services, with one store or two', async (t) => {
  await eachKind(t, async (t, { store, kind, age }) => {
    const other = kind === 'redis' ? await redisStore(t) : embeddedStore(t);
    const old = SECRETS.CHALLENGE_SECRET;
    const next = 'the-next-challenge-secret-of-this-test-0123456789';
    const [oldId, nextId] = [openKeyRing(old).current.id, openKeyRing(next).current.id];
    const challengeNode = (list: string) => ({
      makes: true,
      ids: { CHALLENGE_SECRET: openKeyRing(list).all.map(({ id }) => id) },
    });
    for (const second of [undefined, other]) {
      const record = openKeyRecord(store);
      const there = openKeyRecord(second?.store ?? store);
      const status = async () => {
        const lines = keyStatus(await readKeyReports(store, second?.store), LIVES).join('\n');
        return lines.slice(lines.indexOf('CHALLENGE_SECRET,'));
      };
      const sessionReports = (list: string) =>
        record.report('session', running({ CHALLENGE_SECRET: list }), true);
      const challengeReports = (list: string) => there.report('challenge', challengeNode(list), true);
      const later = async (ms: number) => {
        await age(ms);
        await second?.age(ms);
      };

      await sessionReports(old);
      t.match(await status(), 'CHALLENGE_SECRET, on 1 node:\n  append:');
      t.match(await status(), 'No node of the challenge service is among them');
      await challengeReports(old);
      t.match(await status(), 'CHALLENGE_SECRET, on 2 nodes:\n  append:');
      t.notMatch(await status(), 'No node of the challenge service');
      await sessionReports(`${old},${next}`);
      t.match(await status(), `wait: ${nextId} is accepted by 1 of 2 nodes`);
      await challengeReports(`${old},${next}`);
      t.match(await status(), `front: ${nextId} may be moved to the front`);
      await sessionReports(`${next},${old}`);
      t.match(await status(), /wait: some nodes use [0-9a-f]{8} and others [0-9a-f]{8}/);
      await later(REPORT_EVERY_MS);
      await sessionReports(`${next},${old}`);
      await challengeReports(`${next},${old}`);
      // The challenge service used the old key for new challenges for an hour longer.
      await later(LIVES.challenge * 1000);
      await sessionReports(`${next},${old}`);
      t.match(await status(), `wait: ${oldId} may be dropped from 20`);
      await later(REPORT_EVERY_MS);
      await sessionReports(`${next},${old}`);
      await challengeReports(`${next},${old}`);
      t.match(await status(), `drop: ${oldId} may be dropped`);
      await record.report('session', running({}), false);
      await there.report('challenge', challengeNode(old), false);
      await later(367 * 86_400_000);
    }
  });
});

t.test('a lost record counts from its new start', async (t) => {
  const [here, there] = [embeddedStore(t), embeddedStore(t)];
  const next = `the-next-challenge-secret-of-this-test-0123456789,${SECRETS.CHALLENGE_SECRET}`;
  const oldId = openKeyRing(SECRETS.CHALLENGE_SECRET).current.id;
  await openKeyRecord(here.store).report('session', running({}), true);
  await here.age(86_400_000);
  await openKeyRecord(here.store).report('session', running({ CHALLENGE_SECRET: next }), true);
  const ids = { CHALLENGE_SECRET: openKeyRing(next).all.map(({ id }) => id) };
  await openKeyRecord(there.store).report('challenge', { makes: true, ids }, true);
  const status = async () => keyStatus(await readKeyReports(here.store, there.store), LIVES).join('\n');
  t.match(await status(), `wait: ${oldId} may be dropped`);
  await here.age(2 * REPORT_EVERY_MS);
  await there.age(2 * REPORT_EVERY_MS);
  await openKeyRecord(here.store).report('session', running({ CHALLENGE_SECRET: next }), true);
  t.match(await status(), `drop: ${oldId} may be dropped`);
});

t.test(
  'the advice to drop a key uses the longest lifetimes reported by nodes, not the environment',
  async (t) => {
    await eachKind(t, async (t, { store, age }) => {
      const record = openKeyRecord(store);
      const old = SECRETS.REFRESH_SECRET;
      const next = 'the-next-refresh-secret-of-this-test-0123456789';
      const day = 86_400_000;
      const oldId = openKeyRing(old).current.id;
      const report = (REFRESH_SECRET: string, refresh?: number) => {
        const keys = running({ REFRESH_SECRET });
        const lifetimes = refresh === undefined ? {} : { lifetimes: { ...LIVES, refresh } };
        return record.report('one', { ...keys, ...lifetimes }, true);
      };
      const status = async () => keyStatus(await readKeyReports(store, undefined), LIVES).join('\n');

      await report(old);
      t.match(await status(), 'refresh tokens 604800 s');
      t.match(await status(), 'No node has reported those of access tokens, refresh tokens,');
      await report(`${old},${next}`, 30 * 86_400);
      await report(`${next},${old}`, 30 * 86_400);
      t.match(await status(), 'refresh tokens 2592000 s');
      t.notMatch(await status(), 'No node has reported');
      await age(8 * day);
      await report(`${next},${old}`, 3600);
      t.match(
        await status(),
        `wait: ${oldId} may be dropped`,
        'a shorter life now, and tokens of the longer one',
      );
      await age(23 * day);
      await report(`${next},${old}`, 3600);
      t.match(await status(), `drop: ${oldId} may be dropped`);
      t.match(await status(), 'refresh tokens 3600 s', 'nothing of the longer life is left');
    });
  },
);

t.test('status reports when a published key may be used, and follows a format change', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const status = async () => keyStatus(await readKeyReports(store, undefined), LIVES).join('\n');
    const list = [createSigningKey('ES256'), createSigningKey('EdDSA')].map(
      (element) => openSigningKeys(element).current,
    );
    const [oldId, nextId] = list.map(({ id }) => id);
    const secrets = openKeyRing(SECRETS.ACCESS_SECRET);
    let started = 0;
    let running: string[] = [];
    /** Replaces the nodes by two new ones, which report as the service does. */
    const roll = async (format: 'sealed' | 'public', signing: typeof list, accessSecrets = true) => {
      const rings = {
        refreshSecrets: secrets,
        encryptionKeys: secrets,
        challengeSecrets: secrets,
        format,
        ...(accessSecrets ? { accessSecrets: secrets } : {}),
        ...(signing.length === 0 ? {} : { signingKeys: { all: signing } }),
      };
      for (const node of running) await record.report(node, runningKeys(rings), false);
      running = [];
      for (let count = 0; count < 2; count++) {
        for (const keys of [runningKeys(rings), acceptedKeys(rings)]) {
          if (Object.keys(keys.ids).length === 0) continue;
          started += 1;
          running.push(`node ${started}`);
          await record.report(`node ${started}`, keys, true);
        }
      }
    };

    await roll('sealed', []);
    t.notMatch(await status(), 'ACCESS_SIGNING_KEYS');
    await roll('sealed', list.slice(0, 1));
    t.match(await status(), 'ACCESS_SIGNING_KEYS, on 2 nodes:\n');
    t.match(
      await status(),
      new RegExp(`  wait: ${oldId} is published, and may be used from 20\\d\\d-\\S+Z on`),
    );
    t.match(await status(), 'ACCESS_SECRET, on 2 nodes:\n  append:');
    await age(600_000);
    t.match(await status(), `  use: every node accepts ${oldId}; ACCESS_TOKEN_FORMAT may change`);
    await roll('public', list.slice(0, 1));
    t.match(await status(), 'ACCESS_SIGNING_KEYS, on 2 nodes:\n  append:');
    t.match(await status(), `ACCESS_SECRET, on 2 nodes:\n  wait: ${secrets.current.id} may be dropped from`);
    await age(REPORT_EVERY_MS + LIVES.access * 1000 + 60_000);
    await roll('public', list.slice(0, 1));
    t.match(await status(), `ACCESS_SECRET, on 2 nodes:\n  drop: ${secrets.current.id} may be dropped`);
    await roll('public', list.slice(0, 1), false);
    t.notMatch(await status(), 'ACCESS_SECRET,');

    await roll('public', list);
    t.match(await status(), `  wait: ${nextId} is published`);
    await age(600_000);
    t.match(await status(), `  front: ${nextId} may be moved to the front`);
    await roll('public', [...list].reverse());
    t.match(await status(), `  wait: ${oldId} may be dropped from`);
    await age(REPORT_EVERY_MS + LIVES.access * 1000 + 60_000);
    await roll('public', [...list].reverse());
    t.match(await status(), `  drop: ${oldId} may be dropped`);
  });
});
