// Log lines about the other processes on a store: different challenge options, and the challenge service of an application.

import { once } from 'node:events';
import { eachKind, eachStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import {
  challengeServiceStatus,
  watchChallengeService,
} from '../../src/challenges/challenge-service-watch.js';
import { configFingerprint, watchConfigFingerprint } from '../../src/challenges/config-fingerprint.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import { openKeyRecord } from '../../src/keys/key-record.js';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '../../src/schemas/captcha-options.js';
import { openStore, type Store } from '../../src/store/open-store.js';

const plain = resolveCaptchaOptions();
const other = resolveCaptchaOptions({ pow: { step: 3 } });
const DIFFERS = 'another process on this store has other CAPTCHA_ options';

interface Line {
  readonly about: object;
  readonly message: string;
}

function watched(t: { teardown(stop: () => void): unknown }, store: Store, options = plain) {
  const lines: Line[] = [];
  const watch = watchConfigFingerprint(store, options, {
    warn: (about, message) => lines.push({ about, message }),
  });
  t.teardown(watch.stop);
  return { lines, ...watch };
}

t.test('equal options have one hash from any source; every difference changes it', async (t) => {
  t.match(configFingerprint(plain), /^[0-9a-f]{32}$/);
  t.equal(
    configFingerprint(resolveCaptchaOptions({ pow: { step: 2 }, min_seconds: 1.5 })),
    configFingerprint(plain),
  );
  const changes: CaptchaOptionsInput[] = [
    { driver: 'canvas' },
    { pow: { difficulty: 17 } },
    { pow: { fields: { token: 'work' } } },
    { fields: { token: 'pow_token2' } },
    { bind_ip: true },
    { effort: { bits: 5 } },
    { effort: { enabled: false } },
    { escalation: { after: 3 } },
    { escalation: { decay: 3 } },
  ];
  const hashes = changes.map((change) => configFingerprint(resolveCaptchaOptions(change)));
  t.equal(new Set([configFingerprint(plain), ...hashes]).size, changes.length + 1);
  fc.assert(
    fc.property(fc.integer({ min: 16, max: 24 }), fc.integer({ min: 16, max: 24 }), (one, two) => {
      const hashOf = (difficulty: number) =>
        configFingerprint(resolveCaptchaOptions({ pow: { difficulty } }));
      return (hashOf(one) === hashOf(two)) === (one === two);
    }),
  );
});

t.test('processes with different options each warn once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const one = watched(t, store);
    const stranger = watched(t, store, other);
    await Promise.all([one.checkNow(), stranger.checkNow()]);
    for (let round = 0; round < 4; round++) {
      await one.checkNow();
      await stranger.checkNow();
    }
    const [own, found] = [configFingerprint(plain), configFingerprint(other)];
    t.strictSame(one.lines, [{ about: { own, found }, message: DIFFERS }]);
    t.strictSame(stranger.lines, [{ about: { own: found, found: own }, message: DIFFERS }]);
  });
});

t.test('a restart with other options causes no warning', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const before = watched(t, store, other);
    await before.checkNow();
    await before.stop();
    const after = watched(t, store);
    for (let round = 0; round < 3; round++) await after.checkNow();
    t.strictSame([...before.lines, ...after.lines], []);
  });
});

t.test('a rollout of other options causes no warning if the old process ends soon', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const before = watched(t, store, other);
    await before.checkNow();
    const after = watched(t, store);
    await after.checkNow();
    await before.checkNow();
    await before.stop();
    for (let round = 0; round < 3; round++) await after.checkNow();
    t.strictSame([...before.lines, ...after.lines], []);
  });
});

t.test('old options are forgotten, and the fingerprint expires', async (t) => {
  await eachStore(t, async (t, { store, age, redis }) => {
    const stranger = watched(t, store, other);
    await stranger.checkNow();
    if (redis !== undefined) t.ok((await redis.client.pttl('captcha:options')) > 3_000_000);
    await age(3_600_000);
    const process = watched(t, store);
    await process.checkNow();
    t.strictSame(process.lines, []);
  });
});

t.test('a store that is unreachable at start is checked once it is reachable', async (t) => {
  const { redis } = await redisStore(t);
  await redis.stop();
  const store = openStore(redis.url, '.');
  t.teardown(() => store.close());
  const { lines } = watched(t, store);
  await redis.start();
  // The store may have connected before, and written its own hash.
  await redis.client.set('captcha:options', 'f'.repeat(32), 'NX');
  if (store.kind === 'redis' && store.client.status !== 'ready') await once(store.client, 'ready');
  while ((await redis.client.get('captcha:options')) !== configFingerprint(plain)) await redis.client.ping();
  await new Promise(setImmediate);
  t.ok(lines.length <= 1);
  t.equal(await redis.client.get('captcha:options'), configFingerprint(plain));
});

// An application logs when no challenge service with its secret uses its store, and when one does again.

const OWN = 'the-secret-of-this-application-0123456789';
const OTHER = 'another-secret-than-that-of-it-9876543210';
const idsOf = (list: string) => openKeyRing(list).all.map(({ id }) => id);
const service = (list: string) => ({ makes: true, ids: { CHALLENGE_SECRET: idsOf(list) } });

const MISSING = /^warn no challenge service has reported on this store/;
const OTHER_SECRET = /^warn the challenge service on this store has another CHALLENGE_SECRET/;
const FOUND = /^info the challenge service on this store has the same CHALLENGE_SECRET/;

function watchedService(t: Test, store: Store) {
  const lines: string[] = [];
  const watch = watchChallengeService(store, openKeyRing(OWN), {
    info: (_about, message) => lines.push(`info ${message}`),
    warn: (_about, message) => lines.push(`warn ${message}`),
  });
  t.teardown(watch.stop);
  return { lines, ...watch };
}

t.test("an application on a separate store logs one warning, and a service's later appearance", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { lines, checkNow } = watchedService(t, store);
    for (let looks = 0; looks < 4; looks++) await checkNow();
    t.match(lines, [MISSING]);
    await openKeyRecord(store).report('challenge', service(OWN), true);
    for (let looks = 0; looks < 3; looks++) await checkNow();
    t.match(lines, [MISSING, FOUND]);
    t.equal(lines.length, 2);
  });
});

t.test('an application with another secret logs one warning, and its end', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const record = openKeyRecord(store);
    await record.report('challenge', service(OTHER), true);
    const { lines, checkNow } = watchedService(t, store);
    for (let looks = 0; looks < 4; looks++) await checkNow();
    t.match(lines, [OTHER_SECRET]);
    await record.report('challenge', service(OWN), true);
    await checkNow();
    t.match(lines, [OTHER_SECRET, FOUND]);
    t.equal(lines.length, 2);
    t.notMatch(lines.join(), OWN);
  });
});

t.test('a service that starts shortly after the application causes no warning', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const { lines, stop, checkNow } = watchedService(t, store);
    await stop();
    await record.report('challenge', service(OWN), true);
    await checkNow();
    await checkNow();
    t.strictSame(lines, []);
    await age(1000);
    await record.report('killed', service(OTHER), true);
    await checkNow();
    await age(1000);
    await record.report('challenge', service(OWN), true);
    await checkNow();
    t.strictSame(lines, [], 'the one that reported last counts');
  });
});

t.test('the session service and other applications do not count as challenge services', async (t) => {
  const session = { makes: true, ids: { REFRESH_SECRET: ['r'], CHALLENGE_SECRET: ['a'] } };
  const application = { makes: false, ids: { CHALLENGE_SECRET: ['a'] } };
  t.equal(challengeServiceStatus({ nodes: [session, application] }, ['a']), 'missing');
});

t.test('no step of a key change causes a warning', async (t) => {
  const status = (theirs: string[], own: string[]) =>
    challengeServiceStatus({ nodes: [{ makes: true, ids: { CHALLENGE_SECRET: theirs } }] }, own);
  const steps = [['a'], ['a', 'b'], ['b', 'a'], ['b']];
  for (const [at, step] of steps.entries()) {
    for (const next of steps.slice(at, at + 2)) {
      t.equal(status(step, next), 'found');
      t.equal(status(next, step), 'found');
    }
  }
  t.equal(status(['a'], ['b', 'a']), 'other_secret', 'moved to the front before it was appended');
  t.equal(status(['b', 'a'], ['a']), 'other_secret', 'the application does not accept it yet');
});
