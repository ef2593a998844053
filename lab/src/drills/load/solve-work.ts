// Solves proofs of work as described in docs/challenges/, without code of the services.
import { createHash } from 'node:crypto';

/** The used part of the body of `GET /api/captcha/pow`. */
export interface Work {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
}

/** The two fields of a submission with solved work. */
export type SolvedWork = {
  readonly pow_token: string;
  readonly pow_nonce: string;
};

/** Searches the smallest nonce. The drills' work is small, so the search does not delay the load. */
export function solveWork({ token, salt, difficulty }: Work): SolvedWork {
  for (let nonce = 0; ; nonce++) {
    const digest = createHash('sha256').update(`${salt}${nonce}`).digest();
    if (Math.clz32(digest.readUInt32BE(0)) >= difficulty) {
      return { pow_token: token, pow_nonce: String(nonce) };
    }
  }
}
