// What a host application asks of the challenges: check a submission, count the failures of an account.

import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../crypto/key-ring.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { normaliseAddress } from './address.js';
import type { ChallengeStore, Standing } from './challenge-store.js';
import { type Judgement, judgeImage, judgePow, type Refusal } from './judge.js';
import { accountName, addressName } from './names.js';
import { parseImageLine, parsePowLine } from './records.js';
import {
  type FieldNames,
  type FieldProblem,
  type FieldProblems,
  imageProblems,
  offersImage,
  powProblems,
  type Submission,
} from './submission.js';

/** How an image is treated: `required` is part of the form's shape, `demanded` is judged after the work, `offered` only when there. */
export type ImageDemand = 'required' | 'demanded' | 'offered' | 'ignored';

/** What is checked, and for whom. */
export interface VerifyContext {
  /** The client's address as the framework reports it. */
  readonly ip: string | undefined;
  readonly pow: boolean;
  readonly image: ImageDemand;
}

/** The answer to a submission. `reason` is for the log. */
export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: 'pow_invalid' | 'captcha_invalid' | 'captcha_required';
      readonly fields: FieldProblems;
      readonly reason: Refusal | 'malformed' | 'missing';
    };

/** A counted try: failures before it, what its pair of account and address has to wait, and the way to take it back. */
export interface CountedTry {
  readonly before: number;
  /** Milliseconds; above zero the try was refused and not counted. */
  readonly waitMs: number;
  withdraw(): Promise<void>;
}

/** The checking half of the challenges, for one host. Methods throw StoreUnavailableError when the store is away. */
export interface ChallengeHost {
  readonly options: CaptchaOptions;
  readonly fieldNames: FieldNames;
  /** Checks what a submission's fields look like; asks the store nothing. */
  checkShape(submission: Submission, context: Omit<VerifyContext, 'ip'>): Verdict;
  /** Checks a submission in the order of decisions 2.3: shape, work, image. A challenge that was looked at is spent. */
  verify(submission: Submission, context: VerifyContext): Promise<Verdict>;
  /**
   * Says whether the next attempt on this account needs an image.
   * @param after failures from which it does; `escalation.after` when left out
   */
  requiredFor(key: string, after?: number): Promise<boolean>;
  /** Failures of the account, and what the pair with this address has to wait. */
  standing(key: string, ip?: string): Promise<Standing>;
  /** Records a failure; returns the failures remembered, this one included. */
  recordFailure(key: string): Promise<number>;
  /** Counts a try as a failure before its outcome is known; with `ip` the pair may be refused (decisions 3.2). */
  countTry(key: string, ip?: string): Promise<CountedTry>;
  /** Forgets the account's failures and, with `ip`, the pair's and, at most once per decay, the address's requests. */
  clearFailures(key: string, ip?: string): Promise<void>;
}

/** What a host is made of. */
export interface ChallengeHostParts {
  readonly store: ChallengeStore;
  /** The keys of `CHALLENGE_SECRET`. */
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  /** The host's name; account keys of different hosts never meet. */
  readonly host: string;
  readonly random?: (size: number) => Uint8Array;
}

const PASSED: Verdict = { ok: true };

/** Makes the host object for one host application. */
export function createChallengeHost(parts: ChallengeHostParts): ChallengeHost {
  const { store, ring, options, host, random = randomBytes } = parts;
  const decayMs = options.escalation.decay * 1000;
  const fieldNames: FieldNames = { pow: options.pow.fields, image: options.fields };
  const newClaim = () => Buffer.from(random(16)).toString('hex');
  const account = (key: string) => accountName(ring.current, host, key);
  const address = (ip: string | undefined) => {
    const normalised = normaliseAddress(ip);
    return normalised === null ? undefined : addressName(ring.current, normalised);
  };

  async function checkPow(submission: Submission, ip: string | undefined, claim: string): Promise<Judgement> {
    const taken = await store.take('pow', submission.powToken as string, claim);
    const record = taken === null ? null : parsePowLine(taken.line);
    return judgePow(record, submission.powNonce as string, judgeContext(ip));
  }

  async function checkImage(
    submission: Submission,
    ip: string | undefined,
    claim: string,
  ): Promise<Judgement> {
    const token = submission.imageToken as string;
    const taken = await store.take('image', token, claim);
    const record = taken === null ? null : parseImageLine(taken.line);
    const answer = { token, answer: submission.imageAnswer as string, takenAtMs: taken?.takenAtMs ?? 0 };
    return judgeImage(record, answer, options.min_seconds, judgeContext(ip));
  }

  const judgeContext = (ip: string | undefined) => ({
    ring,
    bindIp: options.bind_ip,
    address: normaliseAddress(ip),
  });

  const partsOf = (submission: Submission, { pow, image }: Omit<VerifyContext, 'ip'>) => ({
    checksPow: pow && options.pow.enabled,
    checksImage: image === 'required' || (image !== 'ignored' && offersImage(submission)),
  });

  function checkShape(submission: Submission, context: Omit<VerifyContext, 'ip'>): Verdict {
    const { checksPow, checksImage } = partsOf(submission, context);
    const work = checksPow ? powProblems(submission, fieldNames) : {};
    const fields = { ...work, ...(checksImage ? imageProblems(submission, fieldNames) : {}) };
    if (Object.keys(fields).length === 0) return PASSED;
    const code = Object.keys(work).length > 0 ? 'pow_invalid' : 'captcha_invalid';
    return { ok: false, code, fields, reason: 'malformed' };
  }

  return {
    options,
    fieldNames,

    checkShape,

    async verify(submission, context) {
      const { ip, image } = context;
      const shape = checkShape(submission, context);
      if (!shape.ok) return shape;
      const { checksPow, checksImage } = partsOf(submission, context);
      const claim = newClaim();
      if (checksPow) {
        const judgement = await checkPow(submission, ip, claim);
        if (!judgement.ok)
          return refused('pow_invalid', fieldNames.pow.nonce, 'wrong_work', judgement.reason);
      }
      if (image === 'demanded' && !checksImage) {
        return refused('captcha_required', fieldNames.image.token, 'required', 'missing');
      }
      if (checksImage) {
        const judgement = await checkImage(submission, ip, claim);
        if (!judgement.ok)
          return refused('captcha_invalid', fieldNames.image.answer, 'wrong_answer', judgement.reason);
      }
      return PASSED;
    },

    async requiredFor(key, after = options.escalation.after) {
      return (await store.standing(account(key), undefined, decayMs)).failures >= after;
    },

    standing: (key, ip) => store.standing(account(key), address(ip), decayMs),

    async recordFailure(key) {
      const { failures } = await store.countTry({ account: account(key), claim: newClaim(), decayMs });
      return failures + 1;
    },

    async countTry(key, ip) {
      const name = account(key);
      const pair = address(ip);
      const claim = newClaim();
      const counted = await store.countTry({
        account: name,
        ...(pair === undefined ? {} : { address: pair }),
        claim,
        decayMs,
      });
      return {
        before: counted.failures,
        waitMs: counted.waitMs,
        withdraw: () => store.withdrawTry(name, pair, claim),
      };
    },

    async clearFailures(key, ip) {
      const pair = address(ip);
      await store.clearFailures(account(key), pair);
      if (pair !== undefined) await store.clearVolume(pair, decayMs);
    },
  };
}

function refused(
  code: 'pow_invalid' | 'captcha_invalid' | 'captcha_required',
  field: string,
  problem: FieldProblem,
  reason: Refusal | 'missing',
): Verdict {
  return { ok: false, code, fields: { [field]: [problem] }, reason };
}
