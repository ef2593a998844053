// Consuming a challenge: once, under a claim, until its original expiry.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eachStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openChallengeStore } from '../../../src/challenges/store/open-challenge-store.js';
import { challengesOn, imageIssue, newClaim, powIssue, redemption } from '../fixtures.js';

const run = promisify(execFile);
const TAKE = fileURLToPath(new URL('./programs/take.js', import.meta.url));

t.test('a live challenge is consumed once, by one claim only', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const work = powIssue();
    const image = imageIssue();
    await challenges.issuePow(work);
    await challenges.issueImage(image);
    for (const [kind, token] of [
      ['pow', work.token],
      ['image', image.token],
    ] as const) {
      const before = Date.now();
      const taken = await challenges.take(kind, token, newClaim());
      t.ok(taken !== null && taken.takenAtMs >= before - 1 && taken.takenAtMs <= Date.now() + 1);
      t.equal(await challenges.take(kind, token, newClaim()), null);
    }
  });
});

t.test('a take leaves records of exempt types unchanged', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    for (const exempt of [['answer'], ['verify:odd', 'answer']]) {
      const image = imageIssue();
      await challenges.issueImage(image);
      t.equal(await challenges.take('image', image.token, newClaim(), { exempt }), null);
      t.ok(await challenges.take('image', image.token, newClaim(), { exempt: ['verify:text'] }));
    }
  });
});

t.test('a repeated take with the same claim returns the same record and time', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const image = imageIssue();
    const claim = newClaim();
    await challenges.issueImage(image);
    const line = await challenges.readImage(image.token);
    const first = await challenges.take('image', image.token, claim);
    t.equal(first?.record, line);
    for (let i = 0; i < 3; i++) t.strictSame(await challenges.take('image', image.token, claim), first);
    t.equal(await challenges.take('image', image.token, claim.slice(0, -1)), null);
    t.equal(await challenges.take('image', image.token, newClaim()), null);
    t.strictSame(await challenges.take('image', image.token, claim), first, 'another claim changed nothing');
  });
});

t.test('a consumed challenge stays consumed until its own expiry, and no longer', async (t) => {
  await eachStore(t, async (t, { store, age, redis }) => {
    const challenges = challengesOn(store);
    const work = powIssue();
    const claim = newClaim();
    await challenges.issuePow(work);
    await age(60_000);
    await challenges.take('pow', work.token, claim);
    if (redis !== undefined) {
      const [key = ''] = await redis.client.keys('*:pow:*');
      const ttlMs = await redis.client.pttl(key);
      t.ok(ttlMs > 55_000 && ttlMs <= 60_000, `${ttlMs} ms are left`);
    }
    await age(59_000);
    t.not(await challenges.take('pow', work.token, claim), null);
    t.equal(await challenges.take('pow', work.token, newClaim()), null);
    await age(1000);
    t.equal(await challenges.take('pow', work.token, claim), null);
  });
});

t.test('an unknown or expired challenge, or one of the other endpoint, returns null', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const work = powIssue();
    await challenges.issuePow(work);
    t.equal(await challenges.take('pow', 'A'.repeat(40), newClaim()), null);
    t.equal(await challenges.take('image', work.token, newClaim()), null);
    await age(120_000);
    t.equal(await challenges.take('pow', work.token, newClaim()), null);
  });
});

t.test('a consumed challenge stays consumed for a process that opens the store later', async (t) => {
  await eachStore(t, async (t, { store, reopen }) => {
    const work = powIssue();
    const claim = newClaim();
    await challengesOn(store).issuePow(work);
    const first = await challengesOn(store).take('pow', work.token, claim);
    const later = challengesOn(await reopen());
    t.equal(await later.take('pow', work.token, newClaim()), null);
    t.strictSame(await later.take('pow', work.token, claim), first);
  });
});

t.test('one solution sent 1,000 times in parallel is accepted once', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const work = powIssue();
    await challenges.issuePow(work);
    const taken = await Promise.all(
      Array.from({ length: 1000 }, () => challenges.take('pow', work.token, newClaim())),
    );
    t.equal(taken.filter((each) => each !== null).length, 1);
  });
});

t.test('redeemed work leaves a receipt that is taken once, and no other claim can redeem it', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const challenges = challengesOn(store);
    const work = powIssue();
    await challenges.issuePow(work);
    const asked = redemption({ powToken: work.token });
    const first = await challenges.redeem(asked);
    t.ok(first?.record.endsWith(work.recordTail));
    t.strictSame(await challenges.redeem(asked), first, 'the same claim gets the same again');
    let isConsumed = false;
    const late = redemption({
      powToken: work.token,
      onConsumed: () => {
        isConsumed = true;
      },
    });
    t.equal(await challenges.redeem(late), null);
    t.ok(isConsumed);
    t.equal(await challenges.take('receipt', late.receiptToken, newClaim()), null, 'and leaves no receipt');
    t.equal(await challenges.take('pow', work.token, newClaim()), null);

    const claim = newClaim();
    await age(59_000);
    const taken = await challenges.take('receipt', asked.receiptToken, claim);
    const [redeemedAtMs = '', ...tail] = taken?.record.split(' ') ?? [];
    t.match(redeemedAtMs, /^\d{13}$/);
    t.equal(tail.join(' '), asked.receiptTail);
    t.equal(await challenges.take('receipt', asked.receiptToken, newClaim()), null);
    await challenges.redeem(asked);
    t.strictSame(await challenges.take('receipt', asked.receiptToken, claim), taken, 'nor is it made anew');
    await age(1000);
    t.equal(await challenges.take('receipt', asked.receiptToken, claim), null);
  });
});

t.test('a removed receipt cannot be taken, and the same work creates no other', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const challenges = challengesOn(store);
    const work = powIssue();
    await challenges.issuePow(work);
    const asked = redemption({ powToken: work.token });
    await challenges.redeem(asked);
    await challenges.removeReceipt(asked.receiptToken);
    t.not(await challenges.redeem(asked), null);
    t.equal(await challenges.take('receipt', asked.receiptToken, newClaim()), null);
    await t.resolves(challenges.removeReceipt(asked.receiptToken), 'one that is gone is no error');
  });
});

t.test("a site's challenges are separate from all others", async (t) => {
  await eachStore(t, async (t, { store }) => {
    const shop = openChallengeStore(store, 'captcha', 'shop');
    const others = [challengesOn(store), openChallengeStore(store, 'captcha', 'forum')];
    const work = powIssue();
    await shop.issuePow(work);
    for (const other of others) {
      t.equal(await other.take('pow', work.token, newClaim()), null);
      t.equal(await other.redeem(redemption({ powToken: work.token })), null);
      t.match(await other.issuePow(powIssue()), { limit: { count: 1 } });
    }
    const asked = redemption({ powToken: work.token });
    t.not(await shop.redeem(asked), null);
    for (const other of others) t.equal(await other.take('receipt', asked.receiptToken, newClaim()), null);
    t.not(await shop.take('receipt', asked.receiptToken, newClaim()), null);
  });
});

t.test('one solution sent 1,000 times by two processes in parallel is accepted once', async (t) => {
  const spendTwice = async (url: string, token: string) => {
    const outputs = await Promise.all(
      [0, 1].map(() => run(process.execPath, [TAKE, url, 'pow', token, '500'])),
    );
    return outputs.map(({ stdout }) => stdout.trim()).sort();
  };
  await eachStore(t, async (t, place) => {
    const work = powIssue();
    await challengesOn(place.store).issuePow(work);
    t.strictSame(await spendTwice(place.url, work.token), ['0', '1']);
  });
});
