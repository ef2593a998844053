// Attempts from a known device count for that device alone, up to its budget.

import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import type { ChallengeVerifier } from '../../../src/challenges/challenge-verifier.js';
import type { GivenProof } from '../../../src/challenges/submission.js';
import { ACCOUNT, ADDRESS, DECAY_MS, hostOn } from '../fixtures.js';

const LAPTOP = { key: 'Device laptop', budget: 3 };
const PHONE = { key: 'Device phone', budget: 3 };

/** Sufficient for any number of failures. */
const EVERYTHING: GivenProof = {
  work: { difficulty: 24, floor: 16, scoped: true, algorithm: 'sha256' },
  image: true,
  isImageStillEnough: () => true,
};
/** Sufficient for an account without failures. */
const BASE: GivenProof = {
  ...EVERYTHING,
  work: { difficulty: 16, floor: 16, scoped: false, algorithm: 'sha256' },
  image: false,
};

const before = async (host: ChallengeVerifier, device = LAPTOP, given = EVERYTHING) =>
  (await host.countDeviceAttempt(device, given))?.before;

t.test('a device counts its own failures, up to its budget per decay', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const host = hostOn(store);
    t.strictSame([await before(host), await before(host)], [0, 1]);
    await age(DECAY_MS / 2);
    t.strictSame([await before(host), await before(host)], [2, undefined], 'the budget is used up');
    t.equal(await before(host, PHONE), 0, 'of that device alone');
    t.match(await host.attemptStatus(ACCOUNT, ADDRESS), { failures: 0, waitMs: 0 }, 'the account has none');
    await age(DECAY_MS / 2);
    t.strictSame([await before(host), await before(host), await before(host)], [1, 2, undefined]);
  });
});

t.test('account failures do not count for the device', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    for (let n = 0; n < 120; n++) await host.countAttempt(ACCOUNT);
    t.equal(await before(host, LAPTOP, BASE), 0);
    await host.clearFailures(LAPTOP.key, ADDRESS);
    t.equal((await host.attemptStatus(ACCOUNT)).failures, 100, 'nor does its success clear them');
  });
});

t.test("an attempt with insufficient work is not counted, and returns the device's failures", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    t.equal(await before(host, LAPTOP, BASE), 0);
    for (let n = 0; n < 3; n++) t.equal(await before(host, LAPTOP, BASE), 1);
    t.match(host.recheck(BASE, 1), { code: 'pow_insufficient' });
    t.equal(await before(host), 1);
  });
});

t.test('a withdrawn attempt and a success restore the budget', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    await before(host);
    await before(host);
    const attempt = await host.countDeviceAttempt(LAPTOP, EVERYTHING);
    t.equal(await before(host), undefined);
    await attempt?.withdraw();
    t.equal(await before(host), 2);
    await host.clearFailures(LAPTOP.key, ADDRESS);
    t.equal(await before(host), 0);
  });
});

t.test('at most the budget is counted for 200 parallel attempts over two connections', async (t) => {
  await eachStore(t, async (t, { store, reopen, kind }) => {
    const here = hostOn(store);
    const there = kind === 'redis' ? hostOn(await reopen()) : here;
    const counted = await Promise.all(
      Array.from({ length: 200 }, (_, n) => before(n % 2 === 0 ? here : there)),
    );
    t.strictSame(counted.filter((number) => number !== undefined).sort(), [0, 1, 2]);
  });
});
