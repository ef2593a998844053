// Solves proofs of work as docs/challenges/ describes them, without code of the services.
import { createHash } from 'node:crypto';

/** The body of `GET /api/captcha/pow`, as far as it is used. */
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

/** Searches the smallest nonce. The drills have little work, so the search does not hold the load up. */
export function solveWork({ token, salt, difficulty }: Work): SolvedWork {
  for (let nonce = 0; ; nonce++) {
    const digest = createHash('sha256').update(`${salt}${nonce}`).digest();
    if (Math.clz32(digest.readUInt32BE(0)) >= difficulty) {
      return { pow_token: token, pow_nonce: String(nonce) };
    }
  }
}
