// Verifies the image of a submission, or its replacement, against the record of its token.

import type { KeyRing } from '../crypto/key-ring.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { normaliseAddress } from './attempts/pseudonyms.js';
import type { Scope } from './attempts/scope-ticket.js';
import type { ChallengeStore } from './store/challenge-store.js';
import { parseVerifiedRecord, presetOf, type VerifiedRecord } from './store/records.js';
import {
  type FailedVerdict,
  type FieldNames,
  failed,
  type Submission,
  type VerifyContext,
} from './submission.js';
import type { VerifiedType } from './types/challenge-type.js';
import { tooLongFor } from './types/challenge-type-registry.js';
import { EFFORT, effortAlgorithm } from './types/effort-type.js';
import { verifyImageRecord } from './verify-record.js';

/** The dependencies of an image verifier. */
interface ImageVerifierDependencies {
  readonly store: ChallengeStore;
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  readonly fieldNames: FieldNames;
  readonly types: ReadonlyMap<string, VerifiedType>;
  /** Returns whether a scope names the attempted account. */
  readonly isAccount: (account: VerifyContext['account']) => (scope: Scope) => boolean;
}

/** The context of an image verification. */
interface ImageTerms {
  /** Identifies the request that consumes the image. */
  readonly claim: string;
  /** Failures of the account. */
  readonly failures: number;
  /** Called if the image was consumed before. */
  readonly onReplay?: (() => void) | undefined;
  /** Returns whether the form accepts the record; all by default. */
  readonly accepts?: (record: VerifiedRecord) => boolean;
}

/** A correct image, which may become insufficient after further failures, or the verdict on a wrong one. */
type CheckedImage = { readonly ok: true; isStillEnough(failures: number): boolean } | FailedVerdict;

/** Consumes the image of a well-formed submission, and verifies its answer. */
type ImageVerifier = (
  submission: Submission,
  context: VerifyContext,
  terms: ImageTerms,
) => Promise<CheckedImage>;

/** Creates the verifier. */
export function createImageVerifier(deps: ImageVerifierDependencies): ImageVerifier {
  const { store, ring, options, fieldNames, types, isAccount } = deps;
  return async (submission, context, { claim, failures, onReplay, accepts = () => true }) => {
    const token = submission.imageToken as string;
    const text = submission.imageAnswer as string;
    const exempt = tooLongFor(text, types);
    const taken = await store.take('image', token, claim, { exempt, onConsumed: onReplay });
    const found = taken === null ? null : parseVerifiedRecord(taken.record);
    const record = found !== null && accepts(found) ? found : null;
    if (record !== null && context.presets !== undefined) {
      const preset = presetOf(record);
      if (preset === null || !context.presets.includes(preset)) {
        return failed('preset_refused', fieldNames.image.token, 'wrong_preset', 'other_preset');
      }
    }
    const algorithm = record?.type === EFFORT ? effortAlgorithm(record.rest) : null;
    if (algorithm !== null && context.algorithms?.includes(algorithm) === false) {
      return failed('captcha_invalid', fieldNames.image.answer, 'wrong_algorithm', 'insufficient');
    }
    const answer = { token, answer: text, takenAtMs: taken?.takenAtMs ?? 0 };
    const verdict = verifyImageRecord(record, answer, {
      ring,
      bindIp: options.bind_ip,
      address: normaliseAddress(context.ip),
      options,
      types,
      isAccount: context.account === undefined ? undefined : isAccount(context.account),
      failures,
    });
    if (verdict.ok) return verdict;
    const problem = verdict.reason === 'insufficient' ? 'insufficient_work' : 'wrong_answer';
    return failed('captcha_invalid', fieldNames.image.answer, problem, verdict.reason);
  };
}
