// What issuing has in common for every type of challenge: the address, the price, the salt and the times.

import { addressPseudonyms } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { Scope } from '@tollgate/shared/challenges/attempts/scope-ticket.js';
import type { RequestLimit } from '@tollgate/shared/challenges/store/challenge-store.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';

/** What an issuer of challenges is made of. */
export interface IssuerDependencies {
  readonly options: CaptchaOptions;
  readonly ring: KeyRing;
  readonly limit: RequestLimit;
  readonly random: (size: number) => Uint8Array;
}

/** The account that work is priced for: from a scope ticket, with the failures remembered of it. */
export interface PricedScope {
  readonly scope: Scope;
  readonly failures: number;
}

/** An address without a form is counted under one name. */
const NO_ADDRESS = 'unknown';

/** Bytes of a salt: 32 hexadecimal digits, so that salt ‖ nonce needs no separator. */
const SALT_BYTES = 16;

/** What is asked of the store about the address of a request, and the address as a record keeps it under `bind_ip`. */
export function addressPart({ options, ring, limit }: IssuerDependencies, address: string | null) {
  const { name, networks } = addressPseudonyms(ring.current, address ?? NO_ADDRESS);
  return {
    client: { address: name, networks, limit },
    bound: options.bind_ip && address !== null ? name : null,
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

/** A salt of fixed length. */
export function newSalt(random: (size: number) => Uint8Array): string {
  return Buffer.from(random(SALT_BYTES)).toString('hex');
}

/** ISO 8601 in UTC to the second, e.g. `2026-08-10T15:05:28+00:00`. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
