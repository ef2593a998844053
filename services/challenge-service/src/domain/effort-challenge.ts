// Issues effort challenges: work in several parts, in place of an image (docs/decisions/effort.md).

import {
  EFFORT,
  type EffortIssue,
  encodeVerifiedTail,
  formatEffortRecord,
  type Issued,
  makeToken,
} from '@tollgate/shared/challenges';
import { totalBits } from '@tollgate/shared/pow';
import { type EffortChallenge, type HashwxEffortChallenge, isoTime } from '@tollgate/shared/schemas';
import {
  type IssuerDependencies,
  issuingAddress,
  type NewWork,
  newWork,
  type PricedScope,
  workTerms,
} from './issuing.js';

/** An effort challenge that is ready to be issued. */
interface PreparedEffort {
  readonly issue: EffortIssue;
  readonly work: NewWork;
}

/**
 * Prepares one effort challenge.
 * @param address normalised; null if unknown
 * @param priced null without a valid ticket
 * @param algorithms the requested algorithms, unparsed
 */
export function effortIssue(
  deps: IssuerDependencies,
  address: string | null,
  priced: PricedScope | null,
  algorithms?: unknown,
): PreparedEffort {
  const { options, ring, random } = deps;
  const { client, tag, factor, bound } = issuingAddress(deps, address);
  const work = newWork(deps, algorithms, priced?.demand);
  const { salt, terms } = work;
  const issue: EffortIssue = {
    token: makeToken(tag, random),
    ...client,
    ...workTerms(options, priced, factor, deps.raisedBits?.()),
    bits: options.effort.bits,
    recordTail: (partDifficulty) =>
      encodeVerifiedTail({
        verifiedBy: 'verify',
        type: EFFORT,
        keyId: ring.current.id,
        address: bound,
        rest: formatEffortRecord({ partDifficulty, salt, scope: priced?.scope ?? null, terms }),
      }),
    expireSeconds: options.cache.expire,
  };
  return { issue, work };
}

/** Returns the response body of an issued effort challenge. */
export function effortChallenge(
  { issue, work: { algorithm, salt, terms } }: PreparedEffort,
  issued: Issued & { allowed: true },
): EffortChallenge | HashwxEffortChallenge {
  return {
    token: issue.token,
    salt,
    ...algorithm.effortFields(totalBits(issued.difficulty), terms),
    algorithm: algorithm.name,
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
  };
}
