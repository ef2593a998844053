// Challenges in the embedded store: each operation is one write transaction.

import { effortBits, effortLifetimeSeconds, partDifficulty } from '../../pow/effort.js';
import { lifetimeSeconds } from '../../pow/lifetime.js';
import { priceOf } from '../../pow/price.js';
import type { EmbeddedStore, Transaction } from '../../store/embedded-store.js';
import { type Counted, countUp } from '../../store/request-counter.js';
import {
  type Attempt,
  failuresOf,
  formatAttempts,
  hasClaim,
  PAIR_MEMORY_MS,
  parseAttempts,
  remembered,
  waitMs,
  withAttempt,
  withoutAttempt,
} from '../attempts/attempts.js';
import type { ChallengeKeys } from './challenge-keys.js';
import type { ChallengeStore, EffortIssue, ImageIssue, PowIssue } from './challenge-store.js';
import { CONSUMED_PREFIX, encodeConsumedRecord, parseConsumedRecord } from './records.js';

/** The operations on the embedded store. */
export function embeddedChallengeStore(store: EmbeddedStore, keys: ChallengeKeys): ChallengeStore {
  const waitKey = (account: string, address: string | undefined) =>
    address === undefined ? undefined : keys.wait(account, address);

  /** The request in the window of its address; over the limit when one of its networks is. */
  function countRequest(
    tx: Transaction,
    kind: 'pow' | 'image',
    issue: PowIssue | EffortIssue | ImageIssue,
  ): Counted {
    const { address, networks = [], limit } = issue;
    const counted = countUp(tx, keys.limit(kind, address), limit.windowMs);
    if (counted.count > limit.max) return counted;
    for (const [at, max] of (limit.networkMax ?? []).entries()) {
      const network = networks[at];
      if (network === undefined) continue;
      const { count, ttlMs } = countUp(tx, keys.limit(kind, network), limit.windowMs);
      if (count > max) return { count: limit.max + 1, ttlMs };
    }
    return counted;
  }

  function priceNow(tx: Transaction, issue: PowIssue | EffortIssue): number {
    const requests = countUp(tx, keys.volume(issue.address), issue.volumeMs).count;
    const price = priceOf(issue.terms, issue.failures, requests);
    return issue.hasTicket === true ? price : Math.max(price, rememberedPrice(tx, keys.price(issue.address)));
  }

  return {
    issuePow: (issue) =>
      store.transact((tx) => {
        const limit = countRequest(tx, 'pow', issue);
        if (limit.count > issue.limit.max) return { allowed: false, limit };
        const difficulty = priceNow(tx, issue);
        const seconds = lifetimeSeconds(difficulty, issue.expireSeconds, issue.expireGrows);
        const line = `${difficulty} ${tx.nowMs} ${issue.lineTail}`;
        tx.put(keys.pow(issue.token), line, tx.nowMs + seconds * 1000);
        return { allowed: true, limit, nowMs: tx.nowMs, difficulty, lifetimeSeconds: seconds };
      }),

    issueEffort: (issue) =>
      store.transact((tx) => {
        const limit = countRequest(tx, 'image', issue);
        if (limit.count > issue.limit.max) return { allowed: false, limit };
        const bits = effortBits(priceNow(tx, issue), issue.bits);
        const seconds = effortLifetimeSeconds(bits, issue.expireSeconds);
        const difficulty = partDifficulty(bits);
        const line = `${tx.nowMs} ${issue.lineTail(difficulty)}`;
        tx.put(keys.image(issue.token), line, tx.nowMs + seconds * 1000);
        return { allowed: true, limit, nowMs: tx.nowMs, difficulty, lifetimeSeconds: seconds };
      }),

    issueImage: (issue) =>
      store.transact((tx) => {
        const limit = countRequest(tx, 'image', issue);
        if (limit.count > issue.limit.max) return { allowed: false, limit };
        const seconds = issue.expireSeconds;
        tx.put(keys.image(issue.token), `${tx.nowMs} ${issue.lineTail}`, tx.nowMs + seconds * 1000);
        return { allowed: true, limit, nowMs: tx.nowMs, difficulty: 0, lifetimeSeconds: seconds };
      }),

    async readImage(token) {
      const line = await store.read(keys.image(token));
      return line === undefined || line.startsWith(CONSUMED_PREFIX) ? null : line;
    },

    take: (kind, token, claim, { spared = [], onSpent } = {}) =>
      store.transact((tx) => {
        const key = keys[kind](token);
        const line = tx.get(key);
        if (line === undefined) return null;
        const spent = parseConsumedRecord(line);
        if (spent?.claim === claim) return { line: spent.line, takenAtMs: spent.takenAtMs };
        if (spent !== null) {
          onSpent?.();
          return null;
        }
        if (isSpared(line, spared)) return null;
        tx.put(key, encodeConsumedRecord(claim, tx.nowMs, line), tx.expiryOf(key) ?? tx.nowMs);
        return { line, takenAtMs: tx.nowMs };
      }),

    attemptStatus: (account, address, decayMs, claim = '') =>
      store.transact((tx) => ({
        failures: failuresOf(
          withoutAttempt(remembered(triesOf(tx, keys.failures(account)), tx.nowMs, decayMs), claim),
        ),
        waitMs: waitMs(triesOf(tx, waitKey(account, address)), tx.nowMs),
      })),

    countAttempt: ({ account, address, claim, decayMs, refusedFrom = Number.MAX_SAFE_INTEGER }) =>
      store.transact((tx) => {
        const key = keys.failures(account);
        const pairKey = waitKey(account, address);
        const tries = remembered(triesOf(tx, key), tx.nowMs, decayMs);
        const pair = triesOf(tx, pairKey);
        const repeated = hasClaim(tries, claim);
        const failures = failuresOf(withoutAttempt(tries, claim));
        const wait = repeated ? 0 : waitMs(pair, tx.nowMs);
        if (wait > 0) return { failures, waitMs: wait };
        if (!repeated && failures >= refusedFrom) return { failures, waitMs: 0 };
        tx.put(key, formatAttempts(withAttempt(tries, claim, tx.nowMs)), tx.nowMs + decayMs);
        if (pairKey !== undefined) {
          tx.put(pairKey, formatAttempts(withAttempt(pair, claim, tx.nowMs)), tx.nowMs + PAIR_MEMORY_MS);
        }
        return { failures, waitMs: 0 };
      }),

    withdrawAttempt: (account, address, claim) =>
      store.transact((tx) => {
        for (const key of [keys.failures(account), waitKey(account, address)]) {
          if (key === undefined) continue;
          const expiresAtMs = tx.expiryOf(key);
          if (expiresAtMs === undefined) continue;
          const left = withoutAttempt(triesOf(tx, key), claim);
          if (left.length === 0) tx.remove(key);
          else tx.put(key, formatAttempts(left), expiresAtMs);
        }
      }),

    clearFailures: (account, address) =>
      store.transact((tx) => {
        tx.remove(keys.failures(account));
        const pairKey = waitKey(account, address);
        if (pairKey !== undefined) tx.remove(pairKey);
      }),

    rememberPrice: (address, bits, keepMs) =>
      store.transact((tx) => {
        const key = keys.price(address);
        tx.put(key, String(Math.max(bits, rememberedPrice(tx, key))), tx.nowMs + keepMs);
      }),

    clearAddress: (address, decayMs) =>
      store.transact((tx) => {
        tx.remove(keys.price(address));
        const mark = keys.cleared(address);
        if (tx.get(mark) !== undefined) return;
        tx.put(mark, '1', tx.nowMs + decayMs);
        tx.remove(keys.volume(address));
      }),
  };
}

function isSpared(line: string, spared: readonly string[]): boolean {
  const [, judged, kind] = /^\d+ (\S+) ([^\s+]+)/.exec(line) ?? [];
  return judged !== undefined && (spared.includes(judged) || spared.includes(`${judged}:${kind}`));
}

function rememberedPrice(tx: Transaction, key: string): number {
  return Number(tx.get(key) ?? 0);
}

function triesOf(tx: Transaction, key: string | undefined): Attempt[] {
  return key === undefined ? [] : parseAttempts(tx.get(key));
}
