// The challenges of one application: verifies submissions and counts failures of accounts.

import type { KeyRing } from '../crypto/key-ring.js';
import { randomBytes, randomHex } from '../crypto/random.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { APPLICATION_NAME_FORM, isApplicationName } from '../schemas/names.js';
import { MAX_ATTEMPTS } from './attempts/attempts.js';
import { createNextAttempts, type NextAttempts } from './attempts/next-attempt.js';
import { accountPseudonym, addressPseudonym, normaliseAddress } from './attempts/pseudonyms.js';
import type { AttemptStatus, ChallengeStore } from './store/challenge-store.js';
import { makeToken } from './store/records.js';
import type {
  AttemptedAccount,
  CheckedPass,
  FailedVerdict,
  GivenProof,
  KnownDevice,
  SubmissionVerifier,
} from './submission.js';
import { type ChallengeType, verifiedTypes } from './types/challenge-type-registry.js';
import { createSubmissionVerifier } from './verify-submission.js';

/**
 * A counted attempt: the failures before it, the delay of its pair of account and address, and its id for `withdrawFailure`.
 */
export interface CountedAttempt {
  readonly before: number;
  /** Milliseconds; above zero the attempt was rejected and not counted. */
  readonly waitMs: number;
  /** Identifies this attempt for `withdrawFailure`. */
  readonly id: string;
  withdraw(): Promise<void>;
}

/** Verifies challenges for one application. Methods throw StoreUnavailableError if the store does not respond. */
export interface ChallengeVerifier extends SubmissionVerifier, NextAttempts {
  readonly options: CaptchaOptions;
  /**
   * Returns whether the next attempt on the account needs an image.
   * @param after failures from which it does; `escalation.after` by default
   */
  requiredFor(key: string, after?: number): Promise<boolean>;
  /**
   * Returns the account for `verify`, which reads its failures once, and only after valid work.
   * @param claim identifies an attempt that does not count
   */
  attemptedAccount(key: string, claim?: string): AttemptedAccount;
  /**
   * Returns the failures of the account and the delay of its pair with this address.
   * @param claim identifies an attempt that does not count
   */
  attemptStatus(key: string, ip?: string, claim?: string): Promise<AttemptStatus>;
  /** Records a failure; returns the failures of the account, including this one, and the id of this one. */
  recordFailure(key: string): Promise<{ readonly failures: number; readonly id: string }>;
  /** Withdraws one recorded failure or counted attempt; with `ip` also from the pair of account and address. */
  withdrawFailure(key: string, id: string, ip?: string): Promise<void>;
  /**
   * Counts an attempt as a failure before its outcome is known; with `ip` the pair may have to wait.
   * @param given the submission's challenges: if the failures before it make them insufficient, the attempt is not counted,
   * and `recheck` returns the reason
   * @param claim identifies the attempt, so that a repetition is not counted twice. 128 random bits by default
   */
  countAttempt(key: string, ip?: string, given?: GivenProof, claim?: string): Promise<CountedAttempt>;
  /**
   * Counts an attempt of a known device for that device, as `countAttempt` does for an account. No address waits. Returns
   * null if the device's budget is used up: nothing is counted, and the attempt counts for the account.
   */
  countDeviceAttempt(device: KnownDevice, given: GivenProof): Promise<CountedAttempt | null>;
  /**
   * Clears the failures of the account, if one is given, and, with `ip`, those of the pair, the remembered price of the
   * address and, at most once per decay, the requests of the address.
   */
  clearFailures(key: string | undefined, ip?: string): Promise<void>;
  /** Returns the image of one form without JavaScript; null unless `no_script` is `image`. */
  noScriptImage(): NoScriptImage | null;
}

/** An image for a form without JavaScript. It is issued when a browser loads it. */
export interface NoScriptImage {
  /** The value of the field `captcha_token`: 40 random letters and digits. */
  readonly token: string;
  /** The path of the image on the challenge service, with a leading slash. */
  readonly path: string;
}

/** The dependencies of a verifier. */
interface ChallengeVerifierDependencies {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** Name of the application; accounts of different applications have separate counts. */
  readonly application: string;
  /** Challenge types beyond the built-in ones; only those with a function `verify` are used here. */
  readonly kinds?: readonly ChallengeType[];
  readonly random?: (size: number) => Uint8Array;
  /** Milliseconds since 1970, for the expiry of tickets. */
  readonly clock: () => number;
  /** Receives the verdict on each submission. */
  readonly observer?: ChallengeObserver | undefined;
}

/**
 * Creates the verifier of one application.
 * @throws TypeError if the application has no valid name: applications without one would share their counts
 */
export function createChallengeVerifier(deps: ChallengeVerifierDependencies): ChallengeVerifier {
  const { store, ring, options, application, random = randomBytes, clock, observer } = deps;
  if (!isApplicationName(application))
    throw new TypeError(`the application must have ${APPLICATION_NAME_FORM}`);
  const decayMs = options.escalation.decay * 1000;
  const newClaim = () => randomHex(16, random);
  const verifier = createSubmissionVerifier({
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

  async function count(
    key: string,
    ip: string | undefined,
    refusedFrom: number | undefined,
    claim = newClaim(),
  ): Promise<CountedAttempt> {
    const accountId = account(key);
    const addressId = address(ip);
    const { failures, waitMs } = await store.countAttempt({
      account: accountId,
      ...(addressId === undefined ? {} : { address: addressId }),
      claim,
      decayMs,
      ...(refusedFrom === undefined ? {} : { refusedFrom }),
    });
    const withdraw = () => store.withdrawAttempt(accountId, addressId, claim);
    return { before: failures, waitMs, id: claim, withdraw };
  }

  const nextAttempts = createNextAttempts({ store, ring, options, clock, account, address });

  return {
    ...(observer === undefined ? verifier : observed(verifier, observer, { account, address })),
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

    withdrawFailure: (key, id, ip) => store.withdrawAttempt(account(key), address(ip), id),

    countAttempt: (key, ip, given, claim) =>
      count(key, ip, given === undefined ? undefined : verifier.refusedFrom(given), claim),

    async countDeviceAttempt({ key, budget }, given) {
      const counted = await count(key, undefined, Math.min(budget, verifier.refusedFrom(given)));
      return counted.before < budget ? counted : null;
    },

    async clearFailures(key, ip) {
      const addressId = address(ip);
      // Two slots, so two commands, in one turn: a login waits for one answer of the store.
      await Promise.all([
        key === undefined ? undefined : store.clearFailures(account(key), addressId),
        addressId === undefined ? undefined : store.clearAddress(addressId, decayMs),
      ]);
    },

    noScriptImage() {
      if (options.no_script !== 'image') return null;
      const token = makeToken('', random);
      return { token, path: `/${options.routes.prefix}/no-script/${token}.png` };
    },
  };
}

/** A submission without personal data: pseudonyms only. */
export interface ObservedSubmission {
  /** Pseudonym of the attempted account. */
  readonly account: string | undefined;
  /** Pseudonym of the client's address. */
  readonly address: string | undefined;
  /** Whether one of its challenges was already consumed. */
  readonly isReplay: boolean;
}

/** Receives verdicts. Its methods must not throw or block. */
export interface ChallengeObserver {
  /** A submission passed. It may still be rejected if its account has failed too often meanwhile. */
  solved(given: GivenProof): void;
  /** A submission was rejected. */
  refused(verdict: FailedVerdict, submission: ObservedSubmission): void;
  /** A pass was presented, and accepted or rejected; the verdict on its submission follows. */
  presented?(pass: CheckedPass, submission: ObservedSubmission): void;
}

/** Returns the same verifier, which also reports its verdicts to the observer. */
function observed(
  verifier: SubmissionVerifier,
  observer: ChallengeObserver,
  pseudonymOf: {
    readonly account: (key: string) => string;
    readonly address: (ip: string | undefined) => string | undefined;
  },
): SubmissionVerifier {
  const unknown = { account: undefined, address: undefined, isReplay: false };
  return {
    ...verifier,
    checkShape(submission, required) {
      const malformed = verifier.checkShape(submission, required);
      if (malformed !== null) observer.refused(malformed, unknown);
      return malformed;
    },
    recheck(given, failures) {
      const outdated = verifier.recheck(given, failures);
      if (outdated !== null) observer.refused(outdated, unknown);
      return outdated;
    },
    async verify(submission, context) {
      let isReplay = false;
      const about = (): ObservedSubmission => {
        const key = context.account?.key;
        const account = key === undefined ? undefined : pseudonymOf.account(key);
        return { account, address: pseudonymOf.address(context.ip), isReplay };
      };
      const onReplay = () => {
        isReplay = true;
      };
      const onPass = (pass: CheckedPass) => observer.presented?.(pass, about());
      const verdict = await verifier.verify(submission, context, onReplay, onPass);
      if (verdict.ok) observer.solved(verdict.given);
      else observer.refused(verdict, about());
      return verdict;
    },
  };
}
