// A million live challenges and a million sessions in Redis: the memory of each, and whether requests get slower.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { powIssue } from '@tollgate/challenge-service/domain/proof-of-work.js';
import { openSessionStore } from '@tollgate/session-service/stores/open-session-store.js';
import type { ChallengeStore } from '@tollgate/shared/challenges/store/challenge-store.js';
import { openChallengeStore } from '@tollgate/shared/challenges/store/open-challenge-store.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { openStore, type Store } from '@tollgate/shared/store/open-store.js';
import { type RedisServer, startRedis } from '@tollgate/shared/test/redis-server.js';
import type { Program } from '../program.js';
import { median } from '../statistics.js';

const COUNT = 1_000_000;
const AT_ONCE = 500;
const PROBES = 5_000;
const ROUNDS = 5;
const CHALLENGE_BYTES = 250;
const SESSION_BYTES = 400;
/** How much slower a request may be with a million entries. */
const MAX_RATIO = 1.15;
const HOUR_MS = 3_600_000;
const RULES = {
  windowMs: 30_000,
  recoveries: 4,
  refreshTtlMs: 168 * HOUR_MS,
  maxAgeMs: 720 * HOUR_MS,
  maxSessions: 50,
};

const program: Program = {
  title:
    'a million live challenges, a million sessions: bytes for each, and the time of issue, take and refresh',
  async run(args) {
    const count = Number(args[0] ?? COUNT);
    const kept = [await growChallenges(count), await growSessions(count)];
    return kept.every((one) => one);
  },
};
export default program;

async function growChallenges(count: number): Promise<boolean> {
  return onRedis(async (store, redis) => {
    const challenges = openChallengeStore(store, 'captcha');
    const issue = issuer(challenges);
    const before = await probeChallenges(challenges, issue);
    const emptyBytes = await usedBytes(redis);
    await inParallel(count, issue);
    const bytes = ((await usedBytes(redis)) - emptyBytes) / count;
    const after = await probeChallenges(challenges, issue);
    const isSmall = report('challenges', bytes, CHALLENGE_BYTES);
    return [
      isSmall,
      compare('issue', before.issue, after.issue),
      compare('take', before.take, after.take),
    ].every(Boolean);
  });
}

async function growSessions(count: number): Promise<boolean> {
  return onRedis(async (store, redis) => {
    const sessions = openSessionStore(store);
    const start = (uid: number) =>
      sessions.start(
        { uid, sid: sidOf(uid), userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156' },
        RULES,
      );
    const probe = async (from: number) => {
      for (let at = 0; at < PROBES; at++) await start(from + at);
      return timed((at) => sessions.rotate({ uid: from + at, sid: sidOf(from + at), generation: 1 }, RULES));
    };
    const before = await probe(2 * COUNT);
    const emptyBytes = await usedBytes(redis);
    let uid = 0;
    await inParallel(count, () => start(++uid));
    const bytes = ((await usedBytes(redis)) - emptyBytes) / count;
    const isSmall = report('sessions', bytes, SESSION_BYTES);
    return compare('refresh', before, await probe(3 * COUNT)) && isSmall;
  });
}

const sidOf = (uid: number) => String(uid).padStart(22, 's');

function issuer(challenges: ChallengeStore): () => Promise<string> {
  const options = resolveCaptchaOptions({ pow: { expire: 3600 } });
  const limit = { max: 1e9, windowMs: 60_000 };
  const deps = { options, ring: openKeyRing('s'.repeat(32)), limit, random: randomBytes };
  return async () => {
    // A thousand addresses, because the counters of addresses are part of the memory of challenges.
    const { issue } = powIssue(deps, `198.51.${randomBytes(1)[0]! & 3}.${randomBytes(1)[0]}`, null);
    await challenges.issuePow(issue);
    return issue.token;
  };
}

async function probeChallenges(challenges: ChallengeStore, issue: () => Promise<string>) {
  const tokens: string[] = [];
  const issueMicros = await timed(async () => tokens.push(await issue()));
  const claim = randomBytes(16).toString('hex');
  const takeMicros = await timed(() => challenges.take('pow', tokens.pop()!, claim));
  return { issue: issueMicros, take: takeMicros };
}

/** Returns microseconds per call, for sequential calls: the median of several rounds. */
async function timed(call: (at: number) => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  const perRound = PROBES / ROUNDS;
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    for (let at = 0; at < perRound; at++) await call(round * perRound + at);
    rounds.push(((performance.now() - startedMs) * 1000) / perRound);
  }
  return median(rounds);
}

async function inParallel(count: number, call: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, call));
  }
}

async function onRedis(run: (store: Store, redis: RedisServer) => Promise<boolean>): Promise<boolean> {
  const closers: (() => unknown)[] = [];
  const redis = await startRedis({ teardown: (closer?: () => unknown) => closer && closers.push(closer) });
  const store = openStore(redis.url, '.');
  if (store.kind === 'redis') await once(store.client, 'ready');
  try {
    return await run(store, redis);
  } finally {
    await store.close();
    for (const closer of closers) await closer();
  }
}

async function usedBytes({ client }: RedisServer): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
}

function report(what: string, bytes: number, bound: number): boolean {
  console.log(`${what.padEnd(12)}${Math.round(bytes)} bytes each, everything included; bound ${bound}`);
  return bytes <= bound;
}

function compare(what: string, before: number, after: number): boolean {
  const ratio = after / before;
  console.log(
    `${what.padEnd(12)}${before.toFixed(0)} µs on an empty store, ${after.toFixed(0)} µs on the full one: ratio ${ratio.toFixed(2)}; bound ${MAX_RATIO}`,
  );
  return ratio <= MAX_RATIO;
}
