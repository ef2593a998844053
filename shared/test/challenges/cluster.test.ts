// Challenges on Redis Cluster: the server refuses whatever touches two slots.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { openRequestCounter } from '../../src/store/request-counter.js';
import { startCluster } from './cluster-server.js';
import {
  ACCOUNT,
  ADDRESS,
  account,
  address,
  challengesOn,
  DECAY_MS,
  hostOn,
  imageIssue,
  issuePicture,
  issueWork,
  newClaim,
  powIssue,
} from './fixtures.js';

const run = promisify(execFile);
const TAKE = fileURLToPath(new URL('./programs/take.js', import.meta.url));

t.test('on Redis Cluster', async (t) => {
  const { store, url } = await startCluster(t);
  const challenges = challengesOn(store);

  await t.test('every operation keeps to one slot', async (t) => {
    const claim = newClaim();
    const image = imageIssue();
    t.match(await challenges.issuePow(powIssue()), { allowed: true, difficulty: 8 });
    t.match(await challenges.issueImage(image), { allowed: true });
    t.not(await challenges.readImage(image.token), null);
    t.not(await challenges.take('image', image.token, claim), null);
    t.strictSame(await challenges.countTry({ account, address, claim, decayMs: DECAY_MS }), {
      failures: 0,
      waitMs: 0,
    });
    t.strictSame(await challenges.standing(account, address, DECAY_MS), { failures: 1, waitMs: 0 });
    await challenges.withdrawTry(account, address, claim);
    t.strictSame(await challenges.standing(account, address, DECAY_MS), { failures: 0, waitMs: 0 });
    await challenges.clearFailures(account, address);
    await challenges.clearVolume(address, DECAY_MS);
    t.match(await openRequestCounter(store, 'captcha')(`image:${address}`, 1000), { count: 1 });
  });

  await t.test('addresses, accounts and challenges spread over many slots', async (t) => {
    const host = hostOn(store);
    for (let i = 0; i < 40; i++) {
      await host.recordFailure(`user-${i}@example.com`);
      await host.clearFailures(`user-${i}@example.com`, `198.51.100.${i}`);
    }
    t.equal(await host.requiredFor('user-1@example.com'), false);
  });

  await t.test('a host checks work and image, and counts', async (t) => {
    const host = hostOn(store);
    const submission = { ...(await issueWork(challenges)), ...(await issuePicture(challenges)) };
    const context = { ip: ADDRESS, pow: true, image: 'required' } as const;
    t.match(await host.verify(submission, context), { ok: true });
    t.match(await host.verify(submission, context), { ok: false, code: 'pow_invalid', reason: 'unknown' });
    t.equal((await host.countTry(ACCOUNT, ADDRESS)).before, 0);
  });

  await t.test('one solution spent 1,000 times by two processes at once is accepted once', async (t) => {
    const work = powIssue();
    await challenges.issuePow(work);
    const outputs = await Promise.all(
      [0, 1].map(() => run(process.execPath, [TAKE, url, 'pow', work.token, '500'])),
    );
    t.strictSame(outputs.map(({ stdout }) => stdout.trim()).sort(), ['0', '1']);
  });
});
