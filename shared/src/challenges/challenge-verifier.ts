// What a host application asks of the challenges: check a submission, count the failures of an account.

import type { KeyRing } from '../crypto/key-ring.js';
import { randomBytes } from '../crypto/random.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { APPLICATION_NAME_FORM, isApplicationName } from '../schemas/names.js';
import { MAX_ATTEMPTS } from './attempts/attempts.js';
import { createNextAttempts, type NextAttempts } from './attempts/next-attempt.js';
import { normaliseAddress } from './attempts/normalise.js';
import { accountPseudonym, addressPseudonym } from './attempts/pseudonyms.js';
import { type ChallengeObserver, observed } from './challenge-observer.js';
import type { AttemptStatus, ChallengeStore } from './store/challenge-store.js';
import { type ChallengeType, verifiedTypes } from './types/challenge-type-registry.js';
import type { AttemptedAccount, GivenProof, SubmissionVerifier } from './verification.js';
import { createSubmissionVerifier } from './verify-submission.js';

/** A counted try: failures before it, what its pair of account and address has to wait, and the way to take it back. */
export interface CountedAttempt {
  readonly before: number;
  /** Milliseconds; above zero the try was refused and not counted. */
  readonly waitMs: number;
  /** Names this try to `withdrawFailure`. */
  readonly id: string;
  withdraw(): Promise<void>;
}

/** The checking half of the challenges, for one host. Methods throw StoreUnavailableError when the store is away. */
export interface ChallengeVerifier extends SubmissionVerifier, NextAttempts {
  readonly options: CaptchaOptions;
  /**
   * Says whether the next attempt on this account needs an image.
   * @param after failures from which it does; `escalation.after` when left out
   */
  requiredFor(key: string, after?: number): Promise<boolean>;
  /**
   * The account for `verify`, whose failures are read once, and only if the submission has right work.
   * @param claim names a try that does not count
   */
  attemptedAccount(key: string, claim?: string): AttemptedAccount;
  /**
   * Failures of the account, and what the pair with this address has to wait.
   * @param claim names a try that does not count
   */
  attemptStatus(key: string, ip?: string, claim?: string): Promise<AttemptStatus>;
  /** Records a failure; returns the failures remembered, this one included, and its name. */
  recordFailure(key: string): Promise<{ readonly failures: number; readonly id: string }>;
  /** Takes back one recorded failure or counted try. */
  withdrawFailure(key: string, id: string): Promise<void>;
  /**
   * Counts a try as a failure before its outcome is known; with `ip` the pair may be refused (decisions 3.2).
   * @param given what the submission gave: with as many failures before it as make that too little, the try is not
   * counted, and `recheck` says why
   * @param claim names the try: sent again it counts nothing twice. 128 random bits by default
   */
  countAttempt(key: string, ip?: string, given?: GivenProof, claim?: string): Promise<CountedAttempt>;
  /**
   * Forgets the account's failures and, with `ip`, the pair's, the price that the address remembers and, at most once per
   * decay, the requests of the address.
   */
  clearFailures(key: string, ip?: string): Promise<void>;
}

/** What a host is made of. */
export interface ChallengeVerifierDependencies {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** The host's name; account keys of different hosts never meet. */
  readonly application: string;
  /** Kinds of challenge beyond the built-in ones; of use here are those that judge their answers themselves. */
  readonly kinds?: readonly ChallengeType[];
  readonly random?: (size: number) => Uint8Array;
  /** Milliseconds since 1970; decides when a ticket expires. */
  readonly clock: () => number;
  /** Hears what becomes of each submission. */
  readonly observer?: ChallengeObserver | undefined;
}

/**
 * Makes the host object for one host application.
 * @throws TypeError without a name of its own: hosts without one would share their counts
 */
export function createChallengeVerifier(deps: ChallengeVerifierDependencies): ChallengeVerifier {
  const { store, ring, options, application, random = randomBytes, clock, observer } = deps;
  if (!isApplicationName(application)) throw new TypeError(`the host must have ${APPLICATION_NAME_FORM}`);
  const decayMs = options.escalation.decay * 1000;
  const newClaim = () => Buffer.from(random(16)).toString('hex');
  const checker = createSubmissionVerifier({
    store,
    ring,
    options,
    application,
    types: verifiedTypes(deps.kinds),
    newClaim,
  });
  const account = (key: string) => accountPseudonym(ring.current, application, key);
  const address = (ip: string | undefined) => {
    const normalised = normaliseAddress(ip);
    return normalised === null ? undefined : addressPseudonym(ring.current, normalised);
  };

  const nextAttempts = createNextAttempts({ store, ring, options, clock, account, address });

  return {
    ...(observer === undefined ? checker : observed(checker, observer, { account, address })),
    ...nextAttempts,
    options,

    async requiredFor(key, after = options.escalation.after) {
      return (await store.attemptStatus(account(key), undefined, decayMs)).failures >= after;
    },

    attemptStatus: (key, ip, claim) => store.attemptStatus(account(key), address(ip), decayMs, claim),

    attemptedAccount(key, claim) {
      let failures: Promise<number> | undefined;
      const read = async () => (await store.attemptStatus(account(key), undefined, decayMs, claim)).failures;
      return {
        key,
        failures() {
          failures ??= read();
          return failures;
        },
      };
    },

    async recordFailure(key) {
      const id = newClaim();
      const { failures } = await store.countAttempt({ account: account(key), claim: id, decayMs });
      return { failures: Math.min(failures + 1, MAX_ATTEMPTS), id };
    },

    withdrawFailure: (key, id) => store.withdrawAttempt(account(key), undefined, id),

    async countAttempt(key, ip, given, claim) {
      const name = account(key);
      const pair = address(ip);
      const id = claim ?? newClaim();
      const counted = await store.countAttempt({
        account: name,
        ...(pair === undefined ? {} : { address: pair }),
        claim: id,
        decayMs,
        ...(given === undefined ? {} : { refusedFrom: checker.refusedFrom(given) }),
      });
      return {
        before: counted.failures,
        waitMs: counted.waitMs,
        id,
        withdraw: () => store.withdrawAttempt(name, pair, id),
      };
    },

    async clearFailures(key, ip) {
      const pair = address(ip);
      await store.clearFailures(account(key), pair);
      if (pair !== undefined) await store.clearAddress(pair, decayMs);
    },
  };
}
