// Challenges in Redis: each operation is one script or one command, in one hash slot.

import type { RedisClient } from '../store/redis-connection.js';
import { loadScript, replyOf } from '../store/redis-script.js';
import type { ChallengeStore, Issued } from './challenge-store.js';
import { SPENT_MARK } from './spent-line.js';
import type { ChallengeKeys } from './store-keys.js';
import {
  FAILURES_BEFORE_WAIT,
  MOST_ENTRIES,
  MOST_TRIES,
  OPEN_TRY_MS,
  PAIR_MEMORY_MS,
  WAITS_MS,
} from './tries.js';

const SCRIPTS = new URL('../../../lua/', import.meta.url);

type IssueReply = [
  allowed: number,
  count: number,
  ttlMs: number,
  nowMs: number,
  difficulty: number,
  seconds: number,
];
type StandingReply = [failures: number, waitMs: number];

/** The operations on Redis. */
export function redisChallengeStore(client: RedisClient, keys: ChallengeKeys): ChallengeStore {
  const issuePow = loadScript<IssueReply>(client, SCRIPTS, 'issue_pow');
  const issueImage = loadScript<IssueReply>(client, SCRIPTS, 'issue_image');
  const take = loadScript<[string, number] | [] | null>(client, SCRIPTS, 'take');
  const standing = loadScript<StandingReply>(client, SCRIPTS, 'standing');
  const countTry = loadScript<StandingReply>(client, SCRIPTS, 'count_try');
  const withdrawTry = loadScript<number>(client, SCRIPTS, 'withdraw_try');
  const clearVolume = loadScript<number>(client, SCRIPTS, 'clear_volume');

  const accountKeys = (account: string, address: string | undefined) =>
    address === undefined ? [keys.failures(account)] : [keys.failures(account), keys.wait(account, address)];

  return {
    async issuePow({
      token,
      address,
      limit,
      lineTail,
      terms,
      failures,
      volumeMs,
      expireSeconds,
      expireGrows,
    }) {
      const reply = await issuePow(
        [keys.pow(token), keys.volume(address), keys.limit('pow', address)],
        [
          limit.max,
          limit.windowMs,
          volumeMs,
          terms.floor + terms.failureStep * failures,
          terms.ceiling,
          terms.volumeStep,
          terms.volumeEvery,
          expireSeconds,
          expireGrows ? 1 : 0,
          lineTail,
        ],
      );
      return issued(reply);
    },

    async issueImage({ token, address, limit, lineTail, expireSeconds }) {
      const reply = await issueImage(
        [keys.image(token), keys.limit('image', address)],
        [limit.max, limit.windowMs, expireSeconds, lineTail],
      );
      return issued(reply);
    },

    async readImage(token) {
      const line = await replyOf(client, client.get(keys.image(token)));
      return line === null || line.startsWith(SPENT_MARK) ? null : line;
    },

    async take(kind, token, claim, onSpent) {
      const reply = await take([keys[kind](token)], [claim]);
      if (reply === null) return null;
      if (reply.length === 2) return { line: reply[0], takenAtMs: Number(reply[1]) };
      onSpent?.();
      return null;
    },

    async standing(account, address, decayMs) {
      const [failures, waitMs] = await standing(accountKeys(account, address), [
        decayMs,
        FAILURES_BEFORE_WAIT,
        MOST_TRIES,
        ...WAITS_MS,
      ]);
      return { failures, waitMs };
    },

    async countTry({ account, address, claim, decayMs, refusedFrom = Number.MAX_SAFE_INTEGER }) {
      const [failures, waitMs] = await countTry(accountKeys(account, address), [
        claim,
        decayMs,
        MOST_TRIES,
        PAIR_MEMORY_MS,
        FAILURES_BEFORE_WAIT,
        refusedFrom,
        OPEN_TRY_MS,
        MOST_ENTRIES,
        ...WAITS_MS,
      ]);
      return { failures, waitMs };
    },

    async withdrawTry(account, address, claim) {
      await withdrawTry(accountKeys(account, address), [claim]);
    },

    async clearFailures(account, address) {
      await replyOf(client, client.del(...accountKeys(account, address)));
    },

    async clearVolume(address, decayMs) {
      await clearVolume([keys.cleared(address), keys.volume(address)], [decayMs]);
    },

    prune: async () => 0,
  };
}

function issued([allowed, count, ttlMs, nowMs, difficulty, lifetimeSeconds]: IssueReply): Issued {
  const limit = { count, ttlMs };
  return allowed === 1
    ? { allowed: true, limit, nowMs, difficulty, lifetimeSeconds }
    : { allowed: false, limit };
}
