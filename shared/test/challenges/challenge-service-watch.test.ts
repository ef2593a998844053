// An application logs when no challenge service with its secret uses its store, and when one does again.

import { eachKind } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import {
  challengeServiceStatus,
  watchChallengeService,
} from '../../src/challenges/challenge-service-watch.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';
import { openKeyRecord } from '../../src/keys/key-record.js';
import type { Store } from '../../src/store/open-store.js';

const OWN = 'the-secret-of-this-application-0123456789';
const OTHER = 'another-secret-than-that-of-it-9876543210';
const idsOf = (list: string) => openKeyRing(list).all.map(({ id }) => id);
const service = (list: string) => ({ makes: true, ids: { CHALLENGE_SECRET: idsOf(list) } });

const MISSING = /^warn no challenge service has reported on this store/;
const DIFFERS = /^warn the challenge service on this store has another CHALLENGE_SECRET/;
const FOUND = /^info the challenge service on this store has the same CHALLENGE_SECRET/;

function watched(t: Test, store: Store) {
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
    const { lines, checkNow } = watched(t, store);
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
    const { lines, checkNow } = watched(t, store);
    for (let looks = 0; looks < 4; looks++) await checkNow();
    t.match(lines, [DIFFERS]);
    await record.report('challenge', service(OWN), true);
    await checkNow();
    t.match(lines, [DIFFERS, FOUND]);
    t.equal(lines.length, 2);
    t.notMatch(lines.join(), OWN);
  });
});

t.test('a service that starts shortly after the application causes no warning', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const record = openKeyRecord(store);
    const { lines, stop, checkNow } = watched(t, store);
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
