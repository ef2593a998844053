// Issues effort challenges: sixteen parts of work in place of an image (docs/decisions/effort.md).

import { makeToken } from '@tollgate/shared/challenges/store/challenge-keys.js';
import type { EffortIssue, Issued } from '@tollgate/shared/challenges/store/challenge-store.js';
import { encodeVerifiedTail } from '@tollgate/shared/challenges/store/records.js';
import { ALGORITHM } from '@tollgate/shared/challenges/types/answer-hashing.js';
import { EFFORT, formatEffortRecord } from '@tollgate/shared/challenges/types/effort-type.js';
import { EFFORT_PARTS } from '@tollgate/shared/pow/effort.js';
import type { EffortChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import {
  type IssuerDependencies,
  isoTime,
  issuingAddress,
  newSalt,
  type PricedScope,
  workTerms,
} from './issuing.js';

/** An effort challenge that is ready to be issued. */
export interface PreparedEffort {
  readonly issue: EffortIssue;
  readonly salt: string;
}

/**
 * Prepares one effort challenge.
 * @param address normalised; null if unknown
 * @param priced null without a valid ticket
 */
export function effortIssue(
  deps: IssuerDependencies,
  address: string | null,
  priced: PricedScope | null,
): PreparedEffort {
  const { options, ring, random } = deps;
  const { client, tag, bound } = issuingAddress(deps, address);
  const salt = newSalt(random);
  const issue: EffortIssue = {
    token: makeToken(tag, random),
    ...client,
    ...workTerms(options, priced),
    bits: options.effort.bits,
    recordTail: (partDifficulty) =>
      encodeVerifiedTail({
        verifiedBy: 'verify',
        type: EFFORT,
        keyId: ring.current.id,
        address: bound,
        rest: formatEffortRecord({ partDifficulty, salt, scope: priced?.scope ?? null }),
      }),
    expireSeconds: options.cache.expire,
  };
  return { issue, salt };
}

/** Returns the response body of an issued effort challenge. */
export function effortChallenge(
  { issue, salt }: PreparedEffort,
  issued: Issued & { allowed: true },
): EffortChallenge {
  return {
    token: issue.token,
    salt,
    parts: EFFORT_PARTS,
    part_difficulty: issued.difficulty,
    algorithm: ALGORITHM,
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
  };
}
