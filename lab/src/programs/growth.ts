// A million live challenges and a million sessions in Redis: the memory of each, and whether requests become slower.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { powIssue } from '@tollgate/challenge-service/domain/proof-of-work.js';
import { openSessionStore } from '@tollgate/session-service/stores/open-session-store.js';
import type { ChallengeStore } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { openChallengeStore, openStore, type Store } from '@tollgate/shared/store';
import { closeAfter } from '../opened.js';
import { openPrivateRedis, type PrivateRedis } from '../private-redis.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { median } from '../statistics.js';

const COUNT = 1_000_000;
const OPTIONS = { count: { type: 'string', default: String(COUNT) } } as const;
const AT_ONCE = 500;
const PROBES = 5_000;
const ROUNDS = 5;
const CHALLENGE_BYTES = 250;
const SESSION_BYTES = 400;
/** Maximum slow-down of a request with a million entries. */
const MAX_RATIO = 1.15;
const HOUR_MS = 3_600_000;
const RULES = {
  windowMs: 30_000,
  recoveries: 4,
  refreshTtlMs: 168 * HOUR_MS,
  notRememberedTtlMs: 24 * HOUR_MS,
  maxAgeMs: 720 * HOUR_MS,
  maxSessions: 50,
};

const program: Program<typeof OPTIONS> = {
  title:
    'a million live challenges, a million sessions: bytes per entry, and the duration of issue, take and refresh',
  method: 'Option: --count 1000000',
  options: OPTIONS,
  async run({ values }, report) {
    const count = Number(values.count);
    await growChallenges(count, report);
    await growSessions(count, report);
  },
};
export default program;

async function growChallenges(count: number, report: Report): Promise<void> {
  await onRedis(async (store, redis) => {
    const challenges = openChallengeStore(store, 'captcha');
    const issue = issuer(challenges);
    // Not counted: a cold process is slower.
    await probeChallenges(challenges, issue);
    const before = await probeChallenges(challenges, issue);
    const emptyBytes = await redis.usedBytes();
    await inParallel(count, issue);
    const bytes = ((await redis.usedBytes()) - emptyBytes) / count;
    const after = await probeChallenges(challenges, issue);
    report.verdict('a challenge, everything included', bytes, { atMost: CHALLENGE_BYTES }, 'bytes');
    compare(report, 'issue', before.issue, after.issue);
    compare(report, 'take', before.take, after.take);
  });
}

async function growSessions(count: number, report: Report): Promise<void> {
  await onRedis(async (store, redis) => {
    const sessions = openSessionStore(store);
    const start = (uid: number, sid = sidOf(uid)) =>
      sessions.start({ uid, sid, userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156' }, RULES);
    const probe = async (from: number, sessionsEach = 1) => {
      const uidOf = (at: number) => from + Math.floor(at / sessionsEach);
      for (let at = 0; at < PROBES; at++) await start(uidOf(at), sidOf(from + at));
      return timed((at) => sessions.rotate({ uid: uidOf(at), sid: sidOf(from + at), generation: 1 }, RULES));
    };
    // Not counted: a cold process is slower.
    await probe(6 * COUNT);
    const before = await probe(2 * COUNT);
    const emptyBytes = await redis.usedBytes();
    let uid = 0;
    await inParallel(count, () => start(++uid));
    const bytes = ((await redis.usedBytes()) - emptyBytes) / count;
    report.verdict('a session, everything included', bytes, { atMost: SESSION_BYTES }, 'bytes');
    compare(report, 'refresh', before, await probe(3 * COUNT));
    const [one, many] = [await probe(4 * COUNT), await probe(5 * COUNT, RULES.maxSessions)];
    compare(report, 'refresh', one, many, ['one session', `${RULES.maxSessions} sessions`]);
  });
}

const sidOf = (uid: number) => String(uid).padStart(22, 's');

function issuer(challenges: ChallengeStore): () => Promise<string> {
  const options = resolveCaptchaOptions({ pow: { expire: 3600 } });
  const limit = { max: 1e9, windowMs: 60_000 };
  const deps = { options, ring: openKeyRing('s'.repeat(32)), limit, random: randomBytes };
  return async () => {
    // A thousand addresses, because address counters are part of the challenges' memory.
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

/** Returns microseconds per call, for sequential calls, by round. */
async function timed(call: (at: number) => Promise<unknown>): Promise<number[]> {
  const rounds: number[] = [];
  const perRound = PROBES / ROUNDS;
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    for (let at = 0; at < perRound; at++) await call(round * perRound + at);
    rounds.push(((performance.now() - startedMs) * 1000) / perRound);
  }
  return rounds;
}

async function inParallel(count: number, call: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, call));
  }
}

async function onRedis(run: (store: Store, redis: PrivateRedis) => Promise<void>): Promise<void> {
  await closeAfter(async (open) => {
    const redis = await open(openPrivateRedis());
    const store = await open(openStore(redis.url, '.'));
    if (store.kind === 'redis') await once(store.client, 'ready');
    await run(store, redis);
  });
}

/** @param before,after microseconds for a call, by round */
function compare(
  report: Report,
  what: string,
  before: number[],
  after: number[],
  [few, many] = ['empty store', 'full store'],
): void {
  report.row(what, { [`µs, ${few}`]: before, [`µs, ${many}`]: after });
  report.verdict(`${what}, ${many} to ${few}`, median(after) / median(before), { atMost: MAX_RATIO });
}
