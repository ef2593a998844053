// Tests a challenge type of the operator on samples before the service starts.

import { type ChallengeType, ChallengeTypeError, isVerifiedType } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { answerContent, verifiedContent } from '../domain/challenge-content.js';
import { BUNDLED_CHARACTERS } from '../image/fonts.js';
import type { ImagePreset } from './preset.js';

const SAMPLES = 50;
// Need not be secret: the samples are discarded.
const key = openKeyRing('samples of the kinds before a start').current;

/**
 * Returns the mistake in the challenges of a preset, or null.
 * @param anyCharacter whether the renderer can draw other characters than the bundled ones
 */
export function sampleMistake(
  { kind, preset }: { readonly kind: ChallengeType | null; readonly preset: ImagePreset },
  options: CaptchaOptions,
  anyCharacter: boolean,
): string | null {
  if (kind === null) return null;
  try {
    for (let sample = 0; sample < SAMPLES; sample++) {
      const token = `sample${sample}`;
      if (isVerifiedType(kind)) verifiedContent(kind, options, key, token);
      else {
        const { text, answer } = answerContent({ preset, kind }, key, token, sample);
        if (answerContent({ preset, kind }, key, token, sample).answer !== answer) {
          return `make of the kind ${kind.name} must give the same answer for the same random choices`;
        }
        const unsupported = anyCharacter
          ? undefined
          : [...(text ?? '')].find((one) => !BUNDLED_CHARACTERS.includes(one));
        if (unsupported !== undefined) {
          return `make of the kind ${kind.name} must not give the text ${JSON.stringify(unsupported)}: the bundled fonts have only ${BUNDLED_CHARACTERS}`;
        }
      }
    }
    return null;
  } catch (error) {
    if (error instanceof ChallengeTypeError) return error.message;
    throw error;
  }
}
