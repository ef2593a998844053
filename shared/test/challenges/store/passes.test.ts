// Passes on every store: validity, and concurrent uses within the rate.

import { randomBytes } from 'node:crypto';
import { eachKind, eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { makePass, passHash, readPass } from '../../../src/challenges/attempts/pass.js';
import type { PassStore } from '../../../src/challenges/store/challenge-store.js';
import { challengesOn } from '../fixtures.js';

const DAY_MS = 86_400_000;
const claim = () => randomBytes(16).toString('hex');

/** Creates a pass and returns a function that uses it. */
async function passOn(passes: PassStore, { perMinute = 100, lifetimeMs = DAY_MS, name = 'uptime' } = {}) {
  const pass = makePass(name);
  const hash = passHash(pass);
  const expiresAtMs = await passes.makePass({ name, hash, application: 'shop', perMinute, lifetimeMs });
  const use = async (about: Partial<Parameters<PassStore['usePass']>[0]> = {}, on = passes) => {
    const given = { name, hash, application: 'shop', claim: claim(), rememberMs: 60_000, ...about };
    return (await on.usePass(given)).outcome;
  };
  return { pass, hash, expiresAtMs, use };
}

t.test('a pass is valid for its application alone, until it expires or is revoked', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const passes = challengesOn(store);
    const { hash, expiresAtMs, use } = await passOn(passes);
    const left = (expiresAtMs ?? 0) - (await store.timeMs());
    t.ok(left > DAY_MS - 60_000 && left <= DAY_MS, `${left} ms`);
    t.equal(await use(), 'passed');
    t.equal(await use({ application: 'forum' }), 'other_application');
    t.equal(await use({ hash: passHash('guessed') }), 'wrong');
    t.equal(await use({ name: 'nobody' }), 'unknown');
    const about = { name: 'uptime', hash, application: 'shop', perMinute: 100, expiresAtMs };
    t.strictSame(await passes.listPasses(), [about]);

    const brief = await passOn(passes, { name: 'brief', lifetimeMs: 1 });
    while ((await store.timeMs()) <= (brief.expiresAtMs ?? 0)) await store.timeMs();
    t.match(await brief.use(), /^(expired|unknown)$/);

    t.equal(await passes.revokePass('uptime'), true);
    t.equal(await passes.revokePass('uptime'), false);
    t.equal(await use(), 'unknown', 'the next use of a revoked pass is refused');
  });
});

t.test('concurrent uses pass only up to the rate', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const nodes = [challengesOn(store), challengesOn(store)];
    const { use } = await passOn(nodes[0]!, { perMinute: 5 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => use({}, nodes[at % 2])));
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    t.strictSame([count('passed'), count('exhausted')], [5, 15]);
    t.equal(await use({ application: 'forum' }), 'other_application', 'which the rate does not hide');
  });
});

t.test('a repeated request counts once, and a rejected one does not count', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { use } = await passOn(challengesOn(store), { perMinute: 2 });
    const same = { claim: claim() };
    const repeated = await Promise.all(Array.from({ length: 5 }, () => use(same)));
    t.strictSame(new Set(repeated), new Set(['passed']));
    for (let times = 0; times < 5; times++) await use({ hash: passHash('guessed') });
    t.equal(await use(), 'passed');
    t.equal(await use(), 'exhausted');
    t.equal(await use(same), 'passed', 'also once it is used up');
  });
});

t.test('a name belongs to one pass at a time, and is free after its expiry', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const passes = challengesOn(store);
    const first = await passOn(passes, { lifetimeMs: 1 });
    while ((await store.timeMs()) <= (first.expiresAtMs ?? 0)) await store.timeMs();
    const second = await passOn(passes);
    t.equal(typeof second.expiresAtMs, 'number');
    t.equal((await passOn(passes)).expiresAtMs, null);
    t.equal(await second.use(), 'passed');
    t.equal(await first.use(), 'wrong');
    await passOn(passes, { name: 'a' });
    t.strictSame(
      (await passes.listPasses()).map(({ name }) => name),
      ['a', 'uptime'],
    );
  });
});

t.test('the store contains no usable pass', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { pass, hash, use } = await passOn(challengesOn(store));
    t.equal(await use(), 'passed');
    const dump =
      store.kind === 'embedded'
        ? (await Promise.all((await store.keys('')).map((key) => store.read(key)))).join('\n')
        : JSON.stringify(await store.client.hgetall('captcha:passes:{passes}'));
    t.ok(dump.includes(hash));
    t.notOk(dump.includes(pass.slice(-43)));
    t.equal(readPass(hash), null);
    t.strictSame(readPass(pass), { name: 'uptime', hash });
  });
});

t.test('a malformed pass never reaches the store', async (t) => {
  const secret = 'a'.repeat(43);
  const wrong = [
    ...[undefined, null, 7, {}, [], '', 'tgp_', `tgp_a_${secret}b`, `tgp_a_${secret.slice(1)}`],
    ...[`TGP_a_${secret}`, `tgp_A_${secret}`, `tgp__${secret}`, `tgp_-a_${secret}`, ` tgp_a_${secret}`],
    ...[`tgp_a_${secret}\n`, `tgp_a_${secret}, tgp_a_${secret}`, `tgp_${'a'.repeat(33)}_${secret}`],
  ];
  for (const presented of wrong) t.equal(readPass(presented), null, JSON.stringify(presented));
  t.not(readPass(`tgp_${'a'.repeat(32)}_${secret}`), null);
});
