// What all challenge types share when they are issued: dependencies, the client's address, price, salt and times.

import { addressPseudonyms } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { Scope } from '@tollgate/shared/challenges/attempts/scope-ticket.js';
import type { RequestLimit } from '@tollgate/shared/challenges/store/challenge-store.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { randomHex } from '@tollgate/shared/crypto/random.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';

/** Dependencies of everything that issues challenges. */
export interface IssuerDependencies {
  readonly options: CaptchaOptions;
  readonly ring: KeyRing;
  readonly limit: RequestLimit;
  readonly random: (size: number) => Uint8Array;
}

/** The account that work is priced for, from a scope ticket, with its recorded failures. */
export interface PricedScope {
  readonly scope: Scope;
  readonly failures: number;
}

/** All clients whose address is unknown are counted together. */
const NO_ADDRESS = 'unknown';

/** Bytes of a salt. Its length in hexadecimal digits is fixed, so that salt ‖ nonce needs no separator. */
const SALT_BYTES = 16;

/**
 * Returns what the store counts the client by, the slot tag of its tokens, and the pseudonym that the record keeps of its
 * address, which is null without `bind_ip`.
 */
export function issuingAddress({ options, ring, limit }: IssuerDependencies, address: string | null) {
  const { address: pseudonym, networks, tag } = addressPseudonyms(ring.current, address ?? NO_ADDRESS);
  return {
    client: { address: pseudonym, networks, limit },
    tag,
    bound: options.bind_ip && address !== null ? pseudonym : null,
  };
}

/**
 * Returns the terms from which the store computes the difficulty.
 * @param requested the lowest difficulty that the client accepts, in bits
 */
export function workTerms({ pow, escalation }: CaptchaOptions, priced: PricedScope | null, requested = 0) {
  const failures = priced?.failures ?? 0;
  const failureStep = pow.escalate ? pow.step : 0;
  return {
    terms: {
      // The store adds the failures to the floor, so that together they reach the requested difficulty but do not add to it.
      floor: Math.max(pow.difficulty, requested - failureStep * failures),
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

/** Creates the salt of a challenge, in hexadecimal digits. */
export function newSalt(random: (size: number) => Uint8Array): string {
  return randomHex(SALT_BYTES, random);
}

let formattedSecond = Number.NaN;
let formatted = '';

/** Formats a time in ISO 8601, in UTC and to the second, e.g. `2026-08-10T15:05:28+00:00`. Most requests of a second share one. */
export function isoTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== formattedSecond) {
    formatted = `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
    formattedSecond = second;
  }
  return formatted;
}
