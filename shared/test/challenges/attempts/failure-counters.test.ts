// Failures and attempts of accounts, and when an image is required.

import { eachStore, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import {
  ACCOUNT,
  ADDRESS,
  challengesOn,
  DECAY_MS,
  effortIssue,
  hostOn,
  imageIssue,
  newClaim,
  powIssue,
} from '../fixtures.js';

t.test('a captcha is required from the second failure until a success', async (t) => {
  await eachStore(t, async (t, { store, age }) => {
    const host = hostOn(store);
    t.equal(await host.requiredFor(ACCOUNT), false);
    t.match(await host.recordFailure(ACCOUNT), { failures: 1 });
    t.equal(await host.requiredFor(ACCOUNT), false);
    t.match(await host.recordFailure(ACCOUNT), { failures: 2 });
    t.equal(await host.requiredFor(ACCOUNT), true);
    t.equal(await host.requiredFor(ACCOUNT, 3), false);
    t.equal(await host.requiredFor('other@example.com'), false);
    await host.clearFailures(ACCOUNT);
    t.equal(await host.requiredFor(ACCOUNT), false);
    await host.recordFailure(ACCOUNT);
    await host.recordFailure(ACCOUNT);
    await age(DECAY_MS);
    t.equal(await host.requiredFor(ACCOUNT), false);
  });
});

t.test('a threshold of zero always requires a captcha', async (t) => {
  const { store } = await redisStore(t);
  t.equal(await hostOn(store, { escalation: { after: 0 } }).requiredFor(ACCOUNT), true);
  t.equal(await hostOn(store).requiredFor(ACCOUNT, 0), true);
});

t.test('an application neither reads nor clears the counters of another application', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const shop = hostOn(store, {}, { name: 'shop' });
    const forum = hostOn(store, {}, { name: 'forum' });
    for (let i = 0; i < 5; i++) await shop.countAttempt(ACCOUNT, ADDRESS);
    t.strictSame(await forum.attemptStatus(ACCOUNT, ADDRESS), { failures: 0, waitMs: 0 });
    await forum.clearFailures(ACCOUNT, ADDRESS);
    const standing = await shop.attemptStatus(ACCOUNT, ADDRESS);
    t.equal(standing.failures, 5);
    t.ok(standing.waitMs > 0);
    const split = hostOn(store, {}, { name: 'shopdemo' });
    t.equal((await split.attemptStatus('@example.com')).failures, 0, 'nor by a name that runs into the key');
  });
});

t.test('an IPv6 user with 2^64 addresses counts as one address', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    for (let i = 1; i <= 5; i++) {
      t.equal((await host.countAttempt(ACCOUNT, `2001:db8:0:7::${i}`)).waitMs, 0);
    }
    t.ok((await host.countAttempt(ACCOUNT, '2001:db8:0:7:ffff::1')).waitMs > 0);
    t.equal((await host.countAttempt(ACCOUNT, '2001:db8:0:8::1')).waitMs, 0);
    for (let i = 0; i < 4; i++) await host.countAttempt('v4@example.com', ADDRESS);
    await host.countAttempt('v4@example.com', `::ffff:${ADDRESS}`);
    t.ok((await host.attemptStatus('v4@example.com', ADDRESS)).waitMs > 0);
  });
});

t.test(
  'two IPv4 hosts behind one IPv6 translator are delayed separately, as with their own addresses',
  async (t) => {
    const other = '198.51.100.9';
    for (const prefix of ['64:ff9b::', '::ffff:0:']) {
      await eachStore(t, async (t, { store }) => {
        const host = hostOn(store);
        for (let i = 0; i < 4; i++) await host.countAttempt(ACCOUNT, `${prefix}${ADDRESS}`);
        await host.countAttempt(ACCOUNT, ADDRESS);
        t.ok((await host.attemptStatus(ACCOUNT, `${prefix}${ADDRESS}`)).waitMs > 0, prefix);
        t.equal((await host.attemptStatus(ACCOUNT, `${prefix}${other}`)).waitMs, 0, prefix);
      });
    }
  },
);

t.test('without an address no pair is delayed, and the account is still counted', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    for (let i = 0; i < 7; i++)
      t.match(await host.countAttempt(ACCOUNT, 'not an address'), { before: i, waitMs: 0 });
    t.equal((await host.attemptStatus(ACCOUNT)).failures, 7);
  });
});

t.test('a withdrawn attempt is not counted', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const first = await host.countAttempt(ACCOUNT, ADDRESS);
    const second = await host.countAttempt(ACCOUNT, ADDRESS);
    t.strictSame([first.before, second.before], [0, 1]);
    await first.withdraw();
    await first.withdraw();
    t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 1);
  });
});

t.test('at most two of 200 parallel attempts need no captcha', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const host = hostOn(store);
    const tried = await Promise.all(Array.from({ length: 200 }, () => host.countAttempt(ACCOUNT)));
    t.equal(tried.filter(({ before }) => before < host.options.escalation.after).length, 2);
  });
});

t.test('each operation is one store command', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const image = imageIssue();
  const steps: Record<string, [commands: number, run: () => Promise<unknown>]> = {
    'issue work': [1, () => challenges.issuePow(powIssue())],
    'issue effort': [1, () => challenges.issueEffort(effortIssue())],
    'issue an image': [1, () => challenges.issueImage(image)],
    'read an image': [1, () => challenges.readImage(image.token)],
    take: [1, () => challenges.take('image', image.token, newClaim())],
    'count a try': [1, () => host.countAttempt(ACCOUNT, ADDRESS)],
    'record a failure': [1, () => host.recordFailure(ACCOUNT)],
    standing: [1, () => host.attemptStatus(ACCOUNT, ADDRESS)],
    required: [1, () => host.requiredFor(ACCOUNT)],
    'say what the next attempt needs, and remember its price': [
      1,
      () => host.nextAttempt(ACCOUNT, 1, ADDRESS),
    ],
    'say what the next attempt needs without failures': [0, () => host.nextAttempt(ACCOUNT, 0, ADDRESS)],
    'clear an account': [1, () => host.clearFailures(ACCOUNT)],
    'clear an account and an address': [2, () => host.clearFailures(ACCOUNT, ADDRESS)],
  };
  for (const [, run] of Object.values(steps)) await run();
  for (const [name, [count, run]] of Object.entries(steps)) {
    const commands = await redis.commands(run);
    t.equal(commands.length, count, `${name}: ${commands.map((command) => command.split(' ')[0])}`);
  }
  const tried = await host.countAttempt(ACCOUNT, ADDRESS);
  await tried.withdraw();
  t.equal((await redis.commands(() => tried.withdraw())).length, 1);
});
