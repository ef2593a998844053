// What a host application asks of the challenges: check a submission, count the failures of an account.

import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../crypto/key-ring.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { normaliseAddress } from './address.js';
import type { ChallengeStore, Standing } from './challenge-store.js';
import { type Checker, createChecker } from './checker.js';
import { accountName, addressName } from './names.js';

/** A counted try: failures before it, what its pair of account and address has to wait, and the way to take it back. */
export interface CountedTry {
  readonly before: number;
  /** Milliseconds; above zero the try was refused and not counted. */
  readonly waitMs: number;
  withdraw(): Promise<void>;
}

/** The checking half of the challenges, for one host. Methods throw StoreUnavailableError when the store is away. */
export interface ChallengeHost extends Checker {
  readonly options: CaptchaOptions;
  /**
   * Says whether the next attempt on this account needs an image.
   * @param after failures from which it does; `escalation.after` when left out
   */
  requiredFor(key: string, after?: number): Promise<boolean>;
  /** Failures of the account, and what the pair with this address has to wait. */
  standing(key: string, ip?: string): Promise<Standing>;
  /** Records a failure; returns the failures remembered, this one included. */
  recordFailure(key: string): Promise<number>;
  /**
   * Counts a try as a failure before its outcome is known; with `ip` the pair may be refused (decisions 3.2).
   * @param refusedFrom failures before it from which the host will refuse this try: then it is not counted
   */
  countTry(key: string, ip?: string, refusedFrom?: number): Promise<CountedTry>;
  /** Forgets the account's failures and, with `ip`, the pair's and, at most once per decay, the address's requests. */
  clearFailures(key: string, ip?: string): Promise<void>;
}

/** What a host is made of. */
export interface ChallengeHostParts {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** The host's name; account keys of different hosts never meet. */
  readonly host: string;
  readonly random?: (size: number) => Uint8Array;
}

/** Makes the host object for one host application. */
export function createChallengeHost(parts: ChallengeHostParts): ChallengeHost {
  const { store, ring, options, host, random = randomBytes } = parts;
  const decayMs = options.escalation.decay * 1000;
  const newClaim = () => Buffer.from(random(16)).toString('hex');
  const account = (key: string) => accountName(ring.current, host, key);
  const address = (ip: string | undefined) => {
    const normalised = normaliseAddress(ip);
    return normalised === null ? undefined : addressName(ring.current, normalised);
  };

  return {
    ...createChecker({ store, ring, options, newClaim }),
    options,

    async requiredFor(key, after = options.escalation.after) {
      return (await store.standing(account(key), undefined, decayMs)).failures >= after;
    },

    standing: (key, ip) => store.standing(account(key), address(ip), decayMs),

    async recordFailure(key) {
      const { failures } = await store.countTry({ account: account(key), claim: newClaim(), decayMs });
      return failures + 1;
    },

    async countTry(key, ip, refusedFrom) {
      const name = account(key);
      const pair = address(ip);
      const claim = newClaim();
      const counted = await store.countTry({
        account: name,
        ...(pair === undefined ? {} : { address: pair }),
        claim,
        decayMs,
        ...(refusedFrom === undefined ? {} : { refusedFrom }),
      });
      return {
        before: counted.failures,
        waitMs: counted.waitMs,
        withdraw: () => store.withdrawTry(name, pair, claim),
      };
    },

    async clearFailures(key, ip) {
      const pair = address(ip);
      await store.clearFailures(account(key), pair);
      if (pair !== undefined) await store.clearVolume(pair, decayMs);
    },
  };
}
