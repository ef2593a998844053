// Challenges and passes in the embedded store: each operation is one write transaction.

import { equalText } from '../../crypto/constant-time.js';
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
import { formatPass, type PassOutcome, parsePass, type StoredPass } from '../attempts/pass.js';
import {
  type ChallengeEndpoint,
  type ChallengeOperations,
  type EffortIssue,
  type ImageIssue,
  PASS_WINDOW_MS,
  type PassStore,
  type PowIssue,
  type Redemption,
  type Taken,
  type TakeOptions,
} from './challenge-store.js';
import { type ChallengeKeys, CONSUMED_PREFIX, encodeConsumedRecord, parseConsumedRecord } from './records.js';

/** The operations on an embedded store. */
export function embeddedChallengeStore(store: EmbeddedStore, keys: ChallengeKeys): ChallengeOperations {
  const waitKey = (account: string, address: string | undefined) =>
    address === undefined ? undefined : keys.wait(account, address);

  /** Counts a request in the window of its address; the count is over the limit if one of its networks is. */
  function countRequest(
    tx: Transaction,
    endpoint: ChallengeEndpoint,
    issue: PowIssue | EffortIssue | ImageIssue,
  ): Counted {
    const { address, networks = [], limit } = issue;
    const counted = countUp(tx, keys.limit(endpoint, address), limit.windowMs);
    if (counted.count > limit.max) return counted;
    for (const [at, max] of (limit.networkMax ?? []).entries()) {
      const network = networks[at];
      if (network === undefined) continue;
      const { count, ttlMs } = countUp(tx, keys.limit(endpoint, network), limit.windowMs);
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
        const difficulty = Math.max(priceNow(tx, issue), issue.least ?? 0);
        const seconds = lifetimeSeconds(difficulty, issue.expireSeconds, issue.expireGrows);
        const record = `${difficulty} ${tx.nowMs} ${issue.recordTail}`;
        tx.put(keys.pow(issue.token), record, tx.nowMs + seconds * 1000);
        return { allowed: true, limit, nowMs: tx.nowMs, difficulty, lifetimeSeconds: seconds };
      }),

    issueEffort: (issue) =>
      store.transact((tx) => {
        const limit = countRequest(tx, 'image', issue);
        if (limit.count > issue.limit.max) return { allowed: false, limit };
        const bits = effortBits(priceNow(tx, issue), issue.bits);
        const seconds = effortLifetimeSeconds(bits, issue.expireSeconds);
        const difficulty = partDifficulty(bits);
        const record = `${tx.nowMs} ${issue.recordTail(difficulty)}`;
        tx.put(keys.image(issue.token), record, tx.nowMs + seconds * 1000);
        return { allowed: true, limit, nowMs: tx.nowMs, difficulty, lifetimeSeconds: seconds };
      }),

    issueImage: (issue) =>
      store.transact((tx) => {
        const limit = countRequest(tx, 'image', issue);
        if (limit.count > issue.limit.max) return { allowed: false, limit };
        const seconds = issue.expireSeconds;
        tx.put(keys.image(issue.token), `${tx.nowMs} ${issue.recordTail}`, tx.nowMs + seconds * 1000);
        return { allowed: true, limit, nowMs: tx.nowMs, difficulty: 0, lifetimeSeconds: seconds };
      }),

    recordImage: ({ token, recordTail, expireSeconds }) =>
      store.transact((tx) => {
        const key = keys.image(token);
        const text = tx.get(key);
        if (text !== undefined) return text.startsWith(CONSUMED_PREFIX) ? null : text;
        const record = `${tx.nowMs} ${recordTail}`;
        tx.put(key, record, tx.nowMs + expireSeconds * 1000);
        return record;
      }),

    async readImage(token) {
      const text = await store.read(keys.image(token));
      return text === undefined || text.startsWith(CONSUMED_PREFIX) ? null : text;
    },

    take: (endpoint, token, claim, asked) =>
      store.transact((tx) => consume(tx, keys[endpoint](token), claim, asked)),

    redeem: (redemption) =>
      store.transact((tx) =>
        redeem(tx, keys.pow(redemption.powToken), keys.receipt(redemption.receiptToken), redemption),
      ),

    removeReceipt: (receiptToken) => store.transact((tx) => tx.remove(keys.receipt(receiptToken))),

    attemptStatus: (account, address, decayMs, claim = '') =>
      store.transact((tx) => ({
        failures: failuresOf(
          withoutAttempt(remembered(attemptsOf(tx, keys.failures(account)), tx.nowMs, decayMs), claim),
        ),
        waitMs: waitMs(attemptsOf(tx, waitKey(account, address)), tx.nowMs),
      })),

    countAttempt: ({ account, address, claim, decayMs, refusedFrom = Number.MAX_SAFE_INTEGER }) =>
      store.transact((tx) => {
        const key = keys.failures(account);
        const pairKey = waitKey(account, address);
        const attempts = remembered(attemptsOf(tx, key), tx.nowMs, decayMs);
        const pair = attemptsOf(tx, pairKey);
        const repeated = hasClaim(attempts, claim);
        const failures = failuresOf(withoutAttempt(attempts, claim));
        const wait = repeated ? 0 : waitMs(pair, tx.nowMs);
        if (wait > 0) return { failures, waitMs: wait };
        if (!repeated && failures >= refusedFrom) return { failures, waitMs: 0 };
        tx.put(key, formatAttempts(withAttempt(attempts, claim, tx.nowMs)), tx.nowMs + decayMs);
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
          const left = withoutAttempt(attemptsOf(tx, key), claim);
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
        const clearedKey = keys.cleared(address);
        if (tx.get(clearedKey) !== undefined) return;
        tx.put(clearedKey, '1', tx.nowMs + decayMs);
        tx.remove(keys.volume(address));
      }),
  };
}

function rememberedPrice(tx: Transaction, key: string): number {
  return Number(tx.get(key) ?? 0);
}

function attemptsOf(tx: Transaction, key: string | undefined): Attempt[] {
  return key === undefined ? [] : parseAttempts(tx.get(key));
}

/** Consumes the record of a key under a claim, as `ChallengeStore.take` describes. */
function consume(
  tx: Transaction,
  key: string,
  claim: string,
  { exempt = [], onConsumed }: TakeOptions = {},
): Taken | null {
  const text = tx.get(key);
  if (text === undefined) return null;
  const consumed = parseConsumedRecord(text);
  if (consumed?.claim === claim) return { record: consumed.record, takenAtMs: consumed.takenAtMs };
  if (consumed !== null) {
    onConsumed?.();
    return null;
  }
  if (isExempt(text, exempt)) return null;
  tx.put(key, encodeConsumedRecord(claim, tx.nowMs, text), tx.expiryOf(key) ?? tx.nowMs);
  return { record: text, takenAtMs: tx.nowMs };
}

/**
 * Consumes the work and records its receipt, as `ChallengeStore.redeem` describes; a repetition does not change the receipt.
 */
function redeem(
  tx: Transaction,
  workKey: string,
  receiptKey: string,
  { claim, receiptTail, receiptSeconds, onConsumed }: Redemption,
): Taken | null {
  const isRepeated = tx.get(workKey)?.startsWith(CONSUMED_PREFIX) === true;
  const taken = consume(tx, workKey, claim, { onConsumed });
  if (taken !== null && !isRepeated) {
    tx.put(receiptKey, `${tx.nowMs} ${receiptTail}`, tx.nowMs + receiptSeconds * 1000);
  }
  return taken;
}

function isExempt(record: string, exempt: readonly string[]): boolean {
  const [, verifiedBy, type] = /^\d+ (\S+) ([^\s+]+)/.exec(record) ?? [];
  return (
    verifiedBy !== undefined && (exempt.includes(verifiedBy) || exempt.includes(`${verifiedBy}:${type}`))
  );
}

const REFUSED = { waitMs: 0 };

/** The operations on passes: one value with a line for each pass. */
export function embeddedPassStore(store: EmbeddedStore, keys: ChallengeKeys): PassStore {
  const write = (tx: Transaction, passes: readonly StoredPass[]) => {
    const text = passes.map((pass) => `${pass.name} ${formatPass(pass)}`).join('\n');
    const lastMs = Math.max(...passes.map(({ expiresAtMs }) => expiresAtMs));
    if (passes.length === 0) tx.remove(keys.passes);
    else tx.put(keys.passes, text, lastMs);
  };

  return {
    usePass: ({ name, hash, application, claim, rememberMs }) =>
      store.transact((tx) => {
        const pass = passesIn(tx.get(keys.passes)).find((each) => each.name === name);
        const refusal = refusalOf(pass, { hash, application, nowMs: tx.nowMs });
        if (refusal !== null) return { outcome: refusal, ...REFUSED };
        const claimKey = keys.passClaim(name, claim);
        if (tx.get(claimKey) !== undefined) return { outcome: 'passed', ...REFUSED };
        const usesKey = keys.passUses(name);
        if (Number(tx.get(usesKey) ?? 0) >= (pass?.perMinute ?? 0)) {
          return { outcome: 'exhausted', waitMs: (tx.expiryOf(usesKey) ?? tx.nowMs) - tx.nowMs };
        }
        countUp(tx, usesKey, PASS_WINDOW_MS);
        tx.put(claimKey, '1', tx.nowMs + rememberMs);
        return { outcome: 'passed', ...REFUSED };
      }),

    makePass: ({ lifetimeMs, ...pass }) =>
      store.transact((tx) => {
        const alive = passesIn(tx.get(keys.passes)).filter(({ expiresAtMs }) => expiresAtMs > tx.nowMs);
        if (alive.some(({ name }) => name === pass.name)) return null;
        const expiresAtMs = tx.nowMs + lifetimeMs;
        write(tx, [...alive, { ...pass, expiresAtMs }]);
        return expiresAtMs;
      }),

    async listPasses() {
      const passes = passesIn(await store.read(keys.passes));
      return passes.sort((one, other) => (one.name < other.name ? -1 : 1));
    },

    revokePass: (name) =>
      store.transact((tx) => {
        const passes = passesIn(tx.get(keys.passes));
        const left = passes.filter((each) => each.name !== name);
        if (left.length === passes.length) return false;
        write(tx, left);
        return true;
      }),
  };
}

/** Returns why a presented pass is rejected; null if it is accepted. */
function refusalOf(
  pass: StoredPass | undefined,
  presented: { readonly hash: string; readonly application: string; readonly nowMs: number },
): PassOutcome | null {
  if (pass === undefined) return 'unknown';
  if (!equalText(pass.hash, presented.hash)) return 'wrong';
  if (pass.expiresAtMs <= presented.nowMs) return 'expired';
  return pass.application === presented.application ? null : 'other_application';
}

function passesIn(text: string | undefined): StoredPass[] {
  if (text === undefined) return [];
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(' ');
    return parsePass(line.slice(0, at), line.slice(at + 1)) ?? [];
  });
}
