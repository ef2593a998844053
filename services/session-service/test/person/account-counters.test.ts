// The failure counters of one account, on every store.

import { openChallengeStore } from '@tollgate/shared/store';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openAccountCounters } from '../../src/person/account-counters.js';

const DECAY_MS = 900_000;
const ANN = 'a'.repeat(32);
const ofAnn = new Set([ANN]);
const BOB = 'b'.repeat(32);
const HOME = '1'.repeat(32);
const CAFE = '2'.repeat(32);

t.test("an account's counters are read and erased, and nobody else's", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = openChallengeStore(store, 'captcha');
    const counters = openAccountCounters(store, 'captcha');
    t.strictSame(await counters.read(ofAnn), []);
    let claim = 0;
    const fail = (account: string, address: string) =>
      challenges.countAttempt({ account, address, claim: `claim-${claim++}`, decayMs: DECAY_MS });
    for (const address of [HOME, HOME, CAFE]) await fail(ANN, address);
    await fail(BOB, HOME);
    const read = await counters.read(ofAnn);
    t.strictSame(
      read.map(({ address, failedAtMs }) => [address, failedAtMs.length]),
      [
        [undefined, 3],
        [HOME, 2],
        [CAFE, 1],
      ],
    );
    const nowMs = await store.timeMs();
    for (const { failedAtMs } of read)
      for (const atMs of failedAtMs) t.ok(atMs <= nowMs && atMs > nowMs - 60_000);
    t.equal((await counters.read(new Set([ANN, BOB]))).length, 5);
    t.strictSame(await counters.read(new Set()), []);
    t.equal(await counters.erase(ofAnn), 3);
    t.equal(await counters.erase(ofAnn), 0);
    t.strictSame(await counters.read(ofAnn), []);
    t.match(await challenges.attemptStatus(ANN, HOME, DECAY_MS), { failures: 0, waitMs: 0 });
    t.match(await challenges.attemptStatus(BOB, HOME, DECAY_MS), { failures: 1 });
  });
});
