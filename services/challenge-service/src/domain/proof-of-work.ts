// Issues proof-of-work challenges: the request to the store and the response body.

import { makeToken } from '@tollgate/shared/challenges/store/challenge-keys.js';
import type { Issued, PowIssue } from '@tollgate/shared/challenges/store/challenge-store.js';
import { encodePowTail } from '@tollgate/shared/challenges/store/records.js';
import { ALGORITHM } from '@tollgate/shared/challenges/types/answer-hashing.js';
import type { PowChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import {
  type IssuerDependencies,
  isoTime,
  issuingAddress,
  newSalt,
  type PricedScope,
  workTerms,
} from './issuing.js';

/** A proof of work that is ready to be issued. */
export interface PreparedPow {
  readonly issue: PowIssue;
  readonly salt: string;
}

/**
 * Prepares one proof of work.
 * @param address normalised; null if unknown
 * @param priced null without a valid ticket
 * @param requested the lowest difficulty that the client accepts, in bits
 */
export function powIssue(
  deps: IssuerDependencies,
  address: string | null,
  priced: PricedScope | null,
  requested = 0,
): PreparedPow {
  const { options, ring, random } = deps;
  const { pow } = options;
  const { client, tag, bound } = issuingAddress(deps, address);
  const salt = newSalt(random);
  const issue: PowIssue = {
    token: makeToken(tag, random),
    ...client,
    ...workTerms(options, priced, requested),
    recordTail: encodePowTail({
      floor: pow.difficulty,
      algorithm: ALGORITHM,
      keyId: ring.current.id,
      salt,
      address: bound,
      scope: priced?.scope ?? null,
    }),
    expireSeconds: pow.expire,
    expireGrows: pow.expire_grows,
  };
  return { issue, salt };
}

/** Reads the difficulty that a query requests, in bits. Returns 0 if it is not a whole number of one or two digits. */
export function requestedDifficulty(text: unknown): number {
  return typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : 0;
}

/** Returns the response body of an issued proof of work. */
export function powChallenge({ issue, salt }: PreparedPow, issued: Issued & { allowed: true }): PowChallenge {
  return {
    token: issue.token,
    salt,
    difficulty: issued.difficulty,
    algorithm: ALGORITHM,
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
  };
}
