// Issues proof-of-work challenges: what the store is asked, and what the client gets.

import { addressPseudonyms, slotTag } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { Scope } from '@tollgate/shared/challenges/attempts/scope-ticket.js';
import { makeToken } from '@tollgate/shared/challenges/store/challenge-keys.js';
import type { Issued, PowIssue, RequestLimit } from '@tollgate/shared/challenges/store/challenge-store.js';
import { encodePowTail } from '@tollgate/shared/challenges/store/records.js';
import { ALGORITHM } from '@tollgate/shared/challenges/types/answer-hashing.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import type { PowChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import { isoTime } from './iso-time.js';

/** Bytes of a salt: 32 hexadecimal digits, so that salt ‖ nonce needs no separator. */
const SALT_BYTES = 16;

/** What an issuer of challenges is made of. */
export interface IssuerDependencies {
  readonly options: CaptchaOptions;
  readonly ring: KeyRing;
  readonly limit: RequestLimit;
  readonly random: (size: number) => Uint8Array;
}

/** An address without a form is counted under one name. */
const NO_ADDRESS = 'unknown';

/** The account that work is priced for: from a scope ticket, with the failures remembered of it. */
export interface PricedScope {
  readonly scope: Scope;
  readonly failures: number;
}

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

/** What is asked of the store about the address of a request, and the address as a record keeps it under `bind_ip`. */
export function addressPart({ options, ring, limit }: IssuerDependencies, address: string | null) {
  const { address: pseudonym, networks } = addressPseudonyms(ring.current, address ?? NO_ADDRESS);
  return {
    client: { address: pseudonym, networks, limit },
    bound: options.bind_ip && address !== null ? pseudonym : null,
  };
}

/**
 * How work is priced.
 * @param asked the least bits that the client asks for
 */
export function workTerms({ pow, escalation }: CaptchaOptions, priced: PricedScope | null, asked = 0) {
  const failures = priced?.failures ?? 0;
  const failureStep = pow.escalate ? pow.step : 0;
  return {
    terms: {
      // Failures are added to the floor: together they come to what was asked for, if they do not exceed it.
      floor: Math.max(pow.difficulty, asked - failureStep * failures),
      ceiling: pow.max_difficulty,
      failureStep,
      volumeStep: pow.volume.step,
      volumeEvery: pow.volume.every,
    },
    failures,
    hasTicket: priced !== null,
    volumeMs: escalation.decay * 1000,
  };
}

/** The difficulty that a query asks for, in bits; 0 for whatever is no whole number of one or two digits. */
export function askedDifficulty(text: unknown): number {
  return typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : 0;
}

/** A salt of fixed length. */
export function newSalt(random: (size: number) => Uint8Array): string {
  return Buffer.from(random(SALT_BYTES)).toString('hex');
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
