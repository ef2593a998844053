// Issues proof-of-work challenges: the request to the store and the response body.

import { encodePowTail, type Issued, makeToken, type PowIssue } from '@tollgate/shared/challenges';
import { type HashwxChallenge, isoTime, type PowChallenge } from '@tollgate/shared/schemas';
import {
  type IssuerDependencies,
  issuingAddress,
  type NewWork,
  newWork,
  type PricedScope,
  workTerms,
} from './issuing.js';

/** A proof of work that is ready to be issued. */
interface PreparedPow {
  readonly issue: PowIssue;
  readonly work: NewWork;
}

/**
 * Prepares one proof of work.
 * @param address normalised; null if unknown
 * @param priced null without a valid ticket
 * @param requested the lowest difficulty that the client accepts, in bits
 * @param algorithms the requested algorithms, unparsed
 */
export function powIssue(
  deps: IssuerDependencies,
  address: string | null,
  priced: PricedScope | null,
  requested = 0,
  algorithms?: unknown,
): PreparedPow {
  const { options, ring, random } = deps;
  const { pow } = options;
  const { client, tag, factor, bound } = issuingAddress(deps, address);
  const raised = deps.raisedBits?.();
  const { terms, failures, hasTicket, volumeMs } = workTerms(options, priced, factor, raised);
  const demand = priced?.demand ?? null;
  const work = newWork(deps, algorithms, demand);
  const issue: PowIssue = {
    token: makeToken(tag, random),
    address: client.address,
    networks: client.networks,
    limit: client.limit,
    terms,
    failures,
    hasTicket,
    volumeMs,
    least: Math.min(pow.max_difficulty, Math.max(requested, demand?.bits ?? 0)),
    recordTail: encodePowTail({
      floor: pow.difficulty,
      ...work,
      algorithm: work.algorithm.name,
      keyId: ring.current.id,
      address: bound,
      scope: priced?.scope ?? null,
    }),
    expireSeconds: pow.expire,
    expireGrows: pow.expire_grows,
  };
  return { issue, work };
}

/** Reads the difficulty that a query requests, in bits. Returns 0 if it is not a whole number of one or two digits. */
export function requestedDifficulty(text: unknown): number {
  return typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : 0;
}

/** Returns the response body of an issued proof of work. */
export function powChallenge(
  { issue, work: { algorithm, salt, terms } }: PreparedPow,
  issued: Issued & { allowed: true },
): PowChallenge | HashwxChallenge {
  return {
    token: issue.token,
    salt,
    difficulty: issued.difficulty,
    algorithm: algorithm.name,
    ...(terms && algorithm.fields?.(issued.difficulty, terms)),
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
  };
}
