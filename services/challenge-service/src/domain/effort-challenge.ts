// Issues effort challenges: sixteen parts of work that stand in for an image (decisions 2.5).

import { ALGORITHM } from '@tollgate/shared/challenges/algorithms.js';
import type { ImageIssue, Issued } from '@tollgate/shared/challenges/challenge-store.js';
import { EFFORT, effortPartDifficulty, formatEffortRecord } from '@tollgate/shared/challenges/effort-kind.js';
import { addressName, slotTag } from '@tollgate/shared/challenges/names.js';
import { kindLineTail } from '@tollgate/shared/challenges/records.js';
import { makeToken } from '@tollgate/shared/challenges/tokens.js';
import { EFFORT_PARTS, effortLifetimeSeconds, totalBits } from '@tollgate/shared/pow/effort.js';
import type { EffortChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import { isoTime } from './iso-time.js';
import { type IssuerParts, NO_ADDRESS, newSalt, type PricedScope } from './proof-of-work.js';

/** Effort to be issued: what the store is asked, and what the client is told beside times. */
export interface PreparedEffort {
  readonly issue: ImageIssue;
  readonly salt: string;
  readonly partDifficulty: number;
}

/**
 * What issuing one effort challenge asks of the store.
 * @param address normalised, null when unknown
 * @param priced null without a valid ticket
 */
export function effortIssue(
  parts: IssuerParts,
  address: string | null,
  priced: PricedScope | null,
): PreparedEffort {
  const { options, ring, limit, random } = parts;
  const name = addressName(ring.current, address ?? NO_ADDRESS);
  const salt = newSalt(random);
  const partDifficulty = effortPartDifficulty(options, priced?.failures ?? 0);
  const issue: ImageIssue = {
    token: makeToken(slotTag(name), random),
    address: name,
    limit,
    lineTail: kindLineTail({
      judgedBy: 'verify',
      kind: EFFORT,
      keyId: ring.current.id,
      address: options.bind_ip && address !== null ? name : null,
      rest: formatEffortRecord({ partDifficulty, salt, scope: priced?.scope ?? null }),
    }),
    expireSeconds: effortLifetimeSeconds(totalBits(partDifficulty), options.cache.expire),
  };
  return { issue, salt, partDifficulty };
}

/** The body of an issued effort challenge. */
export function effortChallenge(
  { issue, salt, partDifficulty }: PreparedEffort,
  issued: Issued & { allowed: true },
): EffortChallenge {
  return {
    token: issue.token,
    salt,
    parts: EFFORT_PARTS,
    part_difficulty: partDifficulty,
    algorithm: ALGORITHM,
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
  };
}
