// A Redis that stops, restarts with or without its data, forgets the scripts, loses a reply, or is replaced.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { raiseCommandTimeout } from '@tollgate/test-support/command-timeout.js';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedisSentinel } from '@tollgate/test-support/redis-sentinel.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import { until } from '@tollgate/test-support/until.js';
import { settlesWithin } from '@tollgate/test-support/within.js';
import t, { type Test } from 'tap';
import type { ChallengeStore } from '../../../src/challenges/store/challenge-store.js';
import { openStore, type Store } from '../../../src/store/open-store.js';
import { StoreUnavailableError } from '../../../src/store/store.js';
import {
  ACCOUNT,
  ADDRESS,
  account,
  address,
  challengesOn,
  DECAY_MS,
  effortIssue,
  hostOn,
  imageIssue,
  issuePicture,
  issueWork,
  MINUTE_MS,
  newClaim,
  powIssue,
  redemption,
} from '../fixtures.js';

/** Every operation that uses the store. */
const operations: Record<string, (challenges: ChallengeStore) => Promise<unknown>> = {
  issuePow: (challenges) => challenges.issuePow(powIssue()),
  issueEffort: (challenges) => challenges.issueEffort(effortIssue()),
  issueImage: (challenges) => challenges.issueImage(imageIssue()),
  readImage: (challenges) => challenges.readImage('A'.repeat(40)),
  take: (challenges) => challenges.take('pow', 'A'.repeat(40), newClaim()),
  redeem: (challenges) => challenges.redeem(redemption({ powToken: 'A'.repeat(40) })),
  removeReceipt: (challenges) => challenges.removeReceipt('A'.repeat(40)),
  standing: (challenges) => challenges.attemptStatus(account, address, DECAY_MS),
  countAttempt: (challenges) =>
    challenges.countAttempt({ account, address, claim: newClaim(), decayMs: DECAY_MS }),
  withdrawAttempt: (challenges) => challenges.withdrawAttempt(account, address, newClaim()),
  clearFailures: (challenges) => challenges.clearFailures(account, address),
  rememberPrice: (challenges) => challenges.rememberPrice(address, 18, MINUTE_MS),
  clearAddress: (challenges) => challenges.clearAddress(address, DECAY_MS),
};

t.test('with Redis stopped every operation fails within a second, and recovers by itself', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  for (const operation of Object.values(operations)) await operation(challenges);

  await redis.stop();
  for (const [name, operation] of Object.entries(operations)) {
    const failing = t.rejects(operation(challenges), StoreUnavailableError, name);
    t.ok(await settlesWithin(1000, failing), name);
  }

  await redis.start();
  await comesBack(challenges);
  for (const [name, operation] of Object.entries(operations)) await t.resolves(operation(challenges), name);
});

t.test('with Redis stopped no submission passes, and nothing is consumed', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const work = await issueWork(challenges);
  const context = { ip: ADDRESS, pow: true, image: 'offered' } as const;
  await redis.stop();
  await t.rejects(host.verify(work, context), StoreUnavailableError);
  await t.rejects(host.countAttempt(ACCOUNT, ADDRESS), StoreUnavailableError);
  await redis.start();
  await comesBack(challenges);
  t.match(await host.verify(work, context), { ok: false, reason: 'unknown' }, 'it was lost with the server');
  t.match(await host.verify(await issueWork(challenges), context), { ok: true });
  t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 0);
});

t.test('with a frozen Redis operations fail within a second', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  await redis.client.client('PAUSE', 10_000);
  const failing = Promise.all(
    Object.entries(operations).map(([name, operation]) =>
      t.rejects(operation(challenges), StoreUnavailableError, name),
    ),
  );
  t.ok(await settlesWithin(1000, failing));
  await failing;
});

t.test('a Redis that has lost the scripts receives them again', async (t) => {
  const { store, redis } = await redisStore(t);
  const challenges = challengesOn(store);
  for (const [name, operation] of Object.entries(operations)) {
    await operation(challenges);
    await redis.client.script('FLUSH');
    await t.resolves(operation(challenges), name);
  }
});

t.test('a reply lost after execution does not turn a right answer into a wrong one', async (t) => {
  const { host, challenges, proxy } = await throughProxy(t);
  const submission = { ...(await issueWork(challenges)), ...(await issuePicture(challenges)) };
  proxy.loseNextReply();
  t.match(await host.verify(submission, { ip: ADDRESS, pow: true, image: 'required' }), { ok: true });
  t.equal(proxy.lost(), 1);
});

t.test('after a lost reply the challenge remains consumed for other claims', async (t) => {
  const { challenges, proxy } = await throughProxy(t);
  const work = powIssue();
  const claim = newClaim();
  await challenges.issuePow(work);
  proxy.loseNextReply();
  const taken = await challenges.take('pow', work.token, claim);
  t.not(taken, null);
  t.equal(proxy.lost(), 1);
  t.strictSame(await challenges.take('pow', work.token, claim), taken, 'the same claim, the same answer');
  t.equal(await challenges.take('pow', work.token, newClaim()), null);
});

t.test('an attempt with a lost reply is counted once', async (t) => {
  const { host, proxy } = await throughProxy(t);
  await host.recordFailure(ACCOUNT);
  proxy.loseNextReply();
  const counted = await host.countAttempt(ACCOUNT, ADDRESS);
  t.match(counted, { before: 1, waitMs: 0 });
  t.equal(proxy.lost(), 1);
  t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 2);
  await counted.withdraw();
  t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 1);
});

t.test('a challenge with a lost reply is still issued, and can be solved', async (t) => {
  const { host, challenges, proxy } = await throughProxy(t);
  proxy.loseNextReply();
  const work = await issueWork(challenges);
  t.equal(proxy.lost(), 1);
  t.match(await host.verify(work, { ip: ADDRESS, pow: true, image: 'offered' }), { ok: true });
});

/** Resolves when the store responds again. */
function comesBack(challenges: ChallengeStore): Promise<void> {
  const answers = async () => (await challenges.readImage('A'.repeat(40))) !== undefined;
  return until(answers, 'the store answers again');
}

async function throughProxy(t: Test) {
  const redis = await startRedis(t);
  const proxy = await startCuttingProxy(t, redis.port);
  const store = openStore(proxy.url, '.');
  t.teardown(() => store.close());
  raiseCommandTimeout(store);
  if (store.kind !== 'redis') throw new TypeError('not on Redis');
  await once(store.client, 'ready');
  const challenges = challengesOn(store);
  // The server has loaded every script by now, so one command has one reply.
  for (const operation of Object.values(operations)) await operation(challenges);
  await challenges.clearFailures(account, address);
  return { proxy, challenges, host: hostOn(store) };
}

/** The proxy's address, and the switch that drops a reply. */
interface CuttingProxy {
  readonly url: string;
  /** Executes the next command, and closes the connection in place of its reply. */
  loseNextReply(): void;
  /** Number of lost replies so far. */
  readonly lost: () => number;
}

/** Starts a proxy to a port of this machine; it closes the connection instead of forwarding a reply. */
async function startCuttingProxy(t: Test, port: number): Promise<CuttingProxy> {
  let cut = false;
  let lost = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      if (!cut) {
        client.write(data);
        return;
      }
      cut = false;
      lost++;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  t.teardown(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseNextReply() {
      cut = true;
    },
    lost: () => lost,
  };
}

// A Redis that stops and restarts during operations and keeps its data: only operations during the outage fail.

const CONTEXT = { ip: ADDRESS, pow: true, image: 'offered' } as const;
const LONGEST_RETURN_MS = 15_000;

interface Interrupted {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

t.test('Redis stops and restarts during submissions', async (t) => {
  await t.test('plain Redis', async (t) => interrupt(t, await startRedis(t, 'always')));
  await t.test('Redis Cluster', async (t) =>
    interrupt(t, await startRedisCluster(t, { persistence: 'always' })),
  );
});

/** Submissions continue; each challenge is accepted at most once, and no issued challenge is lost. */
async function interrupt(t: Test, redis: Interrupted): Promise<void> {
  const store = await open(t, redis.url);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const before = await Promise.all(Array.from({ length: 20 }, () => issueWork(challenges)));
  const consumed = await issueWork(challenges);
  t.match(await host.verify(consumed, CONTEXT), { ok: true });
  await host.recordFailure(ACCOUNT);

  const running = { on: true };
  const outcomes = { passed: 0, away: 0 };
  const submissions = keepSubmitting(store, running, outcomes);
  while (outcomes.passed === 0) await pause(5);
  await redis.stop();
  while (outcomes.away === 0) await pause(5);
  await t.rejects(host.verify(before[0]!, CONTEXT), StoreUnavailableError);
  const passedWhileAway = outcomes.passed;
  await pause(50);
  t.equal(outcomes.passed, passedWhileAway, 'no submission passes while it is away');

  await redis.start();
  await returned(store);
  const passedBefore = outcomes.passed;
  while (outcomes.passed === passedBefore) await pause(5);
  running.on = false;
  await submissions;

  for (const work of before)
    t.match(await host.verify(work, CONTEXT), { ok: true }, 'issued before, good after');
  for (const work of [...before, consumed]) {
    t.match(await host.verify(work, CONTEXT), { ok: false, reason: 'unknown' }, 'and consumed once');
  }
  t.equal((await host.attemptStatus(ACCOUNT, ADDRESS)).failures, 1, 'the failure is remembered');
}

async function keepSubmitting(
  store: Store,
  running: { on: boolean },
  outcomes: { passed: number; away: number },
): Promise<void> {
  const challenges = challengesOn(store);
  const host = hostOn(store);
  while (running.on) {
    try {
      const verdict = await host.verify(await issueWork(challenges), CONTEXT);
      if (verdict.ok) outcomes.passed++;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      outcomes.away++;
      await pause(5);
    }
  }
}

t.test('failover: a Sentinel promotes the replica, and the store recovers by itself', async (t) => {
  const redis = await startRedisSentinel(t);
  const store = await open(t, redis.url);
  const challenges = challengesOn(store);
  const host = hostOn(store);
  const work = await issueWork(challenges);
  const consumed = powIssue();
  await challenges.issuePow(consumed);
  t.not(await challenges.take('pow', consumed.token, newClaim()), null);
  await redis.replicated();

  await redis.master.stop();
  await t.rejects(host.verify(work, CONTEXT), StoreUnavailableError);
  await redis.promoted();
  await returned(store);
  t.match(await host.verify(work, CONTEXT), { ok: true }, 'what was replicated is there');
  t.equal(
    await challenges.take('pow', consumed.token, newClaim()),
    null,
    'and what was consumed stays consumed',
  );
});

async function open(t: Test, url: string): Promise<Store> {
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  if (store.kind === 'redis') await once(store.client, 'ready');
  await store.timeMs();
  return store;
}

/** Resolves when the store accepts writes again. */
async function returned(store: Store): Promise<void> {
  const deadlineMs = performance.now() + LONGEST_RETURN_MS;
  for (;;) {
    try {
      await Promise.all(Array.from({ length: 30 }, () => challengesOn(store).issuePow(powIssue())));
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await pause(20);
    }
  }
}
