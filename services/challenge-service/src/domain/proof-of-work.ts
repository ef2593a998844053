// Issues proof-of-work challenges: what the store is asked, and what the client gets.

import { slotTag } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { Issued, PowIssue } from '@tollgate/shared/challenges/store/challenge-store.js';
import { encodePowTail } from '@tollgate/shared/challenges/store/records.js';
import { makeToken } from '@tollgate/shared/challenges/tokens.js';
import { ALGORITHM } from '@tollgate/shared/challenges/types/algorithms.js';
import type { PowChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import {
  addressPart,
  type IssuerDependencies,
  isoTime,
  newSalt,
  type PricedScope,
  workTerms,
} from './issuing.js';

/** Work to be issued: what the store is asked, and the salt for the client. */
export interface PreparedPow {
  readonly issue: PowIssue;
  readonly salt: string;
}

/**
 * What issuing one proof of work asks of the store.
 * @param address normalised, null when unknown
 * @param priced null without a valid ticket
 * @param asked the least difficulty that the client asks for, in bits
 */
export function powIssue(
  deps: IssuerDependencies,
  address: string | null,
  priced: PricedScope | null,
  asked = 0,
): PreparedPow {
  const { options, ring, random } = deps;
  const { pow } = options;
  const { client, bound } = addressPart(deps, address);
  const salt = newSalt(random);
  const issue: PowIssue = {
    token: makeToken(slotTag(client.address), random),
    ...client,
    ...workTerms(options, priced, asked),
    lineTail: encodePowTail({
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

/** The difficulty that a query asks for, in bits; 0 for whatever is no whole number of one or two digits. */
export function askedDifficulty(text: unknown): number {
  return typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : 0;
}

/** The body of an issued proof of work. */
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
