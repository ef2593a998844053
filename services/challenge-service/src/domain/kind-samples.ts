// Tries a kind of the operator's own before the service starts.

import { ChallengeTypeError } from '@tollgate/shared/challenges/types/challenge-type.js';
import {
  type ChallengeType,
  isVerifiedType,
} from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { BUNDLED_CHARACTERS } from '../image/fonts.js';
import type { ImagePreset } from '../image/preset.js';
import { answerContent, verifiedContent } from './kind-content.js';

const SAMPLES = 50;
// Of no use to anybody: what is made with it is thrown away.
const key = openKeyRing('samples of the kinds before a start').current;

/**
 * What is wrong with challenges of this preset, or null.
 * @param anyCharacter whether what draws knows other characters than the bundled ones
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
        const strange = anyCharacter
          ? undefined
          : [...(text ?? '')].find((one) => !BUNDLED_CHARACTERS.includes(one));
        if (strange !== undefined) {
          return `make of the kind ${kind.name} must not give the text ${JSON.stringify(strange)}: the bundled fonts hold ${BUNDLED_CHARACTERS} alone`;
        }
      }
    }
    return null;
  } catch (error) {
    if (error instanceof ChallengeTypeError) return error.message;
    throw error;
  }
}
