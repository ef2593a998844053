// The keys command as an operator runs it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { exportAccessKeys } from '@tollgate/shared/crypto/access-keys.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { openKeyRecord } from '@tollgate/shared/store/key-record.js';
import { eachKind, redisStore } from '@tollgate/shared/test/stores.js';
import t from 'tap';
import { type KeyLives, keyStatus } from '../../src/cli/key-status.js';
import { runningKeys } from '../../src/domain/key-roll-out.js';
import { SECRETS } from '../support/session-node.js';

const COMMAND = fileURLToPath(new URL('../../src/cli/keys.js', import.meta.url));
const LIVES: KeyLives = {
  accessSeconds: 900,
  refreshSeconds: 604_800,
  challengeSeconds: 900,
  decaySeconds: 900,
};

async function keys(args: string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH: process.env.PATH, ...env } });
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, error };
}

/** What a node with these lists reports. */
function running(lists: Partial<typeof SECRETS>) {
  const all = { ...SECRETS, ...lists };
  return runningKeys({
    accessSecrets: openKeyRing(all.ACCESS_SECRET),
    refreshSecrets: openKeyRing(all.REFRESH_SECRET),
    encryptionKeys: openKeyRing(all.ENCRYPTION_KEY),
    challengeSecrets: openKeyRing(all.CHALLENGE_SECRET),
  });
}

t.test('export-access prints the derived keys of access tokens and no secret', async (t) => {
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

t.test('a command line that is none is answered with the usage', async (t) => {
  for (const args of [[], ['export'], ['status', 'now'], ['__proto__']]) {
    const { code, out, error } = await keys(args, {});
    t.equal(code, 2);
    t.equal(out, '');
    t.match(error, /^usage: keys export-access\n {7}keys status\n/);
  }
});

t.test('status goes with the operator through the three roll-outs', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const status = async () => (await keyStatus(record, LIVES)).join('\n');
    const old = SECRETS.ENCRYPTION_KEY;
    const next = 'the-next-encryption-key-of-this-test-0123456789';
    const [oldId, nextId] = [openKeyRing(old).current.id, openKeyRing(next).current.id];
    const both = async (list: string) => {
      for (const node of ['one', 'two']) await record.report(node, running({ ENCRYPTION_KEY: list }), true);
    };
    t.equal(await status(), 'no node has reported its keys yet: start the service on this store first');

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
    t.match(done, /CHALLENGE_SECRET[\s\S]*forgets the failures and waits[^\n]* 900 s of failures at most/);
    for (const secret of [...Object.values(SECRETS), next]) t.notMatch(done, secret);
  });
});

t.test('status reads the store that STORE_URL names, or says that it is away', async (t) => {
  const { store, redis } = await redisStore(t);
  await openKeyRecord(store).report('one', running({}), true);
  const { code, out, error } = await keys(['status'], { STORE_URL: redis.url });
  t.equal(code, 0);
  t.equal(error, '');
  t.match(out, /^ACCESS_SECRET, on 1 node:\n {2}append: a new key may be appended to the list\n/);
  await redis.stop();
  t.strictSame(await keys(['status'], { STORE_URL: redis.url }), {
    code: 1,
    out: '',
    error: 'keys: the store is out of reach\n',
  });
});
