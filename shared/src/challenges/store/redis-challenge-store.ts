// Challenges in Redis: each operation is one script or one command, in one hash slot.

import { EFFORT_SHAPE } from '../../pow/effort.js';
import { POW_SHAPE, SLOW_HASHES_PER_SECOND, type WorkShape } from '../../pow/lifetime.js';
import { loadScript, type RedisClient, replyOf } from '../../store/redis-connection.js';
import {
  FAILURES_BEFORE_WAIT,
  MAX_ATTEMPTS,
  MOST_ENTRIES,
  OPEN_ATTEMPT_MS,
  PAIR_MEMORY_MS,
  WAITS_MS,
} from '../attempts/attempts.js';
import { type PassOutcome, parsePass } from '../attempts/pass.js';
import {
  type ChallengeEndpoint,
  type ChallengeOperations,
  type EffortIssue,
  type Issued,
  PASS_WINDOW_MS,
  type PassStore,
  type PowIssue,
  type RequestLimit,
  type Taken,
} from './challenge-store.js';
import { type ChallengeKeys, CONSUMED_PREFIX } from './records.js';

const SCRIPTS = new URL('../../../../lua/', import.meta.url);

type IssueReply = [
  allowed: number,
  count: number,
  ttlMs: number,
  nowMs: number,
  difficulty: number,
  seconds: number,
];

/** A proof of work whose lifetime does not grow with its difficulty. */
const FIXED_LIFETIME: WorkShape = { ...POW_SHAPE, spread: 0 };

/** Stands for the difficulty, which the script decides; no record contains it. */
const DIFFICULTY = '\0';

const NO_NETWORKS: readonly string[] = [];
const NO_LIMITS = [0, 0] as const;

type TakeReply = [record: string, atMs: number] | [] | null;
type StatusReply = [failures: number, waitMs: number];

/** The operations on Redis. */
export function redisChallengeStore(client: RedisClient, keys: ChallengeKeys): ChallengeOperations {
  const runIssueWork = loadScript<IssueReply>(client, SCRIPTS, 'issue_work');
  const issueImage = loadScript<IssueReply>(client, SCRIPTS, 'issue_image');
  const recordImage = loadScript<string | null>(client, SCRIPTS, 'record_image');
  const take = loadScript<TakeReply>(client, SCRIPTS, 'take');
  const readStatus = loadScript<StatusReply>(client, SCRIPTS, 'attempt_status');
  const countAttempt = loadScript<StatusReply>(client, SCRIPTS, 'count_attempt');
  const withdrawAttempt = loadScript<number>(client, SCRIPTS, 'withdraw_attempt');
  const rememberPrice = loadScript<number>(client, SCRIPTS, 'remember_price');
  const clearAddress = loadScript<number>(client, SCRIPTS, 'clear_address');

  const accountKeys = (account: string, address: string | undefined) =>
    address === undefined ? [keys.failures(account)] : [keys.failures(account), keys.wait(account, address)];

  const limitKeys = (
    endpoint: ChallengeEndpoint,
    address: string,
    networks: readonly string[] = [],
    { networkMax }: RequestLimit,
  ) =>
    [address, ...(networkMax === undefined ? [] : networks)].map((pseudonym) =>
      keys.limit(endpoint, pseudonym),
    );

  const limitArguments = ({ max, windowMs, networkMax = [0, 0] }: RequestLimit) => [
    max,
    windowMs,
    ...networkMax,
  ];

  const issueWork = async (
    endpoint: ChallengeEndpoint,
    issue: PowIssue | EffortIssue,
    record: readonly string[],
    bits: number,
    shape: WorkShape,
  ) => {
    const { address, networks = NO_NETWORKS, limit, terms } = issue;
    const [most56, most48] = limit.networkMax ?? NO_LIMITS;
    const names = [
      keys[endpoint](issue.token),
      keys.limit(endpoint, address),
      keys.volume(address),
      keys.price(address),
    ];
    if (limit.networkMax !== undefined)
      for (const network of networks) names.push(keys.limit(endpoint, network));
    const price = terms.floor + terms.failureStep * issue.failures;
    const numbers =
      `[${limit.max},${limit.windowMs},${most56},${most48},${issue.volumeMs},${price},${terms.ceiling},` +
      `${terms.volumeStep},${terms.volumeEvery},${issue.hasTicket === true ? 0 : 1},${bits},${shape.leastBits},` +
      `${shape.mostBits},${shape.partBits},${issue.expireSeconds},${shape.spread},${SLOW_HASHES_PER_SECOND}]`;
    return issued(await runIssueWork(names, [numbers, ...record]));
  };

  return {
    issuePow: (issue) => {
      const shape = issue.expireGrows ? POW_SHAPE : FIXED_LIFETIME;
      const { least = 0 } = issue;
      return issueWork(
        'pow',
        issue,
        [issue.recordTail],
        0,
        least === 0 ? shape : { ...shape, leastBits: least },
      );
    },

    issueEffort: (issue) => {
      const record = issue.recordTail(DIFFICULTY).split(DIFFICULTY);
      return issueWork('image', issue, record, issue.bits, EFFORT_SHAPE);
    },

    async issueImage({ token, address, networks, limit, recordTail, expireSeconds }) {
      const reply = await issueImage(
        [keys.image(token), ...limitKeys('image', address, networks, limit)],
        [...limitArguments(limit), expireSeconds, recordTail],
      );
      return issued(reply);
    },

    recordImage: ({ token, recordTail, expireSeconds }) =>
      recordImage([keys.image(token)], [expireSeconds, recordTail]),

    async readImage(token) {
      const text = await replyOf(client, client.get(keys.image(token)));
      return text === null || text.startsWith(CONSUMED_PREFIX) ? null : text;
    },

    async take(endpoint, token, claim, { exempt = [], onConsumed } = {}) {
      return taken(await take([keys[endpoint](token)], [claim, ...exempt]), onConsumed);
    },

    async redeem({ powToken, claim, receiptToken, receiptTail, receiptSeconds, onConsumed }) {
      const names = [keys.pow(powToken), keys.receipt(receiptToken)];
      return taken(await take(names, [claim, receiptSeconds * 1000, receiptTail]), onConsumed);
    },

    removeReceipt: (receiptToken) => replyOf(client, client.del(keys.receipt(receiptToken))),

    async attemptStatus(account, address, decayMs, claim = '') {
      const [failures, waitMs] = await readStatus(accountKeys(account, address), [
        decayMs,
        FAILURES_BEFORE_WAIT,
        MAX_ATTEMPTS,
        claim,
        ...WAITS_MS,
      ]);
      return { failures, waitMs };
    },

    async countAttempt({ account, address, claim, decayMs, refusedFrom = Number.MAX_SAFE_INTEGER }) {
      const [failures, waitMs] = await countAttempt(accountKeys(account, address), [
        claim,
        decayMs,
        MAX_ATTEMPTS,
        PAIR_MEMORY_MS,
        FAILURES_BEFORE_WAIT,
        refusedFrom,
        OPEN_ATTEMPT_MS,
        MOST_ENTRIES,
        ...WAITS_MS,
      ]);
      return { failures, waitMs };
    },

    async withdrawAttempt(account, address, claim) {
      await withdrawAttempt(accountKeys(account, address), [claim]);
    },

    async clearFailures(account, address) {
      await replyOf(client, client.del(...accountKeys(account, address)));
    },

    async rememberPrice(address, bits, keepMs) {
      await rememberPrice([keys.price(address)], [bits, keepMs]);
    },

    async clearAddress(address, decayMs) {
      await clearAddress([keys.cleared(address), keys.volume(address), keys.price(address)], [decayMs]);
    },
  };
}

function taken(reply: TakeReply, onConsumed: (() => void) | undefined): Taken | null {
  if (reply === null) return null;
  if (reply.length === 2) return { record: reply[0], takenAtMs: Number(reply[1]) };
  onConsumed?.();
  return null;
}

function issued([allowed, count, ttlMs, nowMs, difficulty, lifetimeSeconds]: IssueReply): Issued {
  const limit = { count, ttlMs };
  return allowed === 1
    ? { allowed: true, limit, nowMs, difficulty, lifetimeSeconds }
    : { allowed: false, limit };
}

/** The operations on passes: one hash of all passes, whose slot their counters share. */
export function redisPassStore(client: RedisClient, keys: ChallengeKeys): PassStore {
  const usePass = loadScript<[PassOutcome, number]>(client, SCRIPTS, 'use_pass');
  const makePass = loadScript<number | null>(client, SCRIPTS, 'make_pass');

  return {
    async usePass({ name, hash, application, claim, rememberMs }) {
      const [outcome, waitMs] = await usePass(
        [keys.passes, keys.passUses(name), keys.passClaim(name, claim)],
        [name, hash, application, PASS_WINDOW_MS, rememberMs],
      );
      return { outcome, waitMs };
    },

    makePass: ({ name, hash, application, perMinute, lifetimeMs }) =>
      makePass([keys.passes], [name, hash, application, perMinute, lifetimeMs]),

    async listPasses() {
      const found = await replyOf(client, client.hgetall(keys.passes));
      return Object.keys(found)
        .sort()
        .flatMap((name) => parsePass(name, found[name] ?? '') ?? []);
    },

    async revokePass(name) {
      return (await replyOf(client, client.hdel(keys.passes, name))) === 1;
    },
  };
}
