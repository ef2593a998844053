// Requirements of the next submission, as known from error responses.

import type { ChallengeOptions } from './challenge-options.js';

export interface Requirements {
  readonly captchaRequired: boolean;
  /** Required captcha: an image, or work in its place. */
  readonly kind: 'image' | 'effort';
  readonly alternatives: readonly string[];
  /** Ticket that prices the next work. */
  readonly scope: string | undefined;
  /** Presets that the form accepts; undefined if unknown. */
  readonly presets?: readonly string[] | undefined;
  /** Lowest difficulty that the form accepts, in bits, from the page or an error response. */
  readonly minDifficulty?: number | undefined;
  /** Algorithms to request: those of the page, or those that the form accepts according to an error response. */
  readonly algorithms?: readonly string[] | undefined;
}

type ImageOption = NonNullable<ChallengeOptions['image']>;

/** Initial requirements, taken from the page; they apply again after each success. */
export function initialRequirements(options: ChallengeOptions): Requirements {
  const captchaRequired = options.image === 'always';
  // Only error responses name the alternatives; a service with `effort` disabled rejects a request for it.
  return {
    ...options,
    captchaRequired,
    kind: 'image',
    alternatives: captchaRequired ? ['effort'] : [],
    scope: undefined,
  };
}

/** Requirements after an error response; fields missing from it keep their value. */
export function requirementsAfter(
  before: Requirements,
  refusal: Refusal,
  image: ImageOption = 'demanded',
): Requirements {
  const demanded = refusal.captchaRequired ?? before.captchaRequired;
  const captchaRequired = image === 'always' || (image === 'demanded' && demanded);
  const alternatives = refusal.alternatives ?? before.alternatives;
  const keepsEffort = captchaRequired && before.kind === 'effort' && alternatives.includes('effort');
  return {
    captchaRequired,
    kind: keepsEffort ? 'effort' : 'image',
    alternatives: captchaRequired ? alternatives : [],
    scope: refusal.scope ?? before.scope,
    presets: refusal.presets ?? before.presets,
    minDifficulty: refusal.minDifficulty || before.minDifficulty,
    algorithms: refusal.algorithms ?? before.algorithms,
  };
}

/** Requirements for a service without `effort`. */
export function withoutEffort(requirements: Requirements): Requirements {
  return {
    ...requirements,
    kind: 'image',
    alternatives: requirements.alternatives.filter((name) => name !== 'effort'),
  };
}

/** Challenge fields of an error body; undefined where the body lacks them. */
interface Refusal {
  readonly code: string | undefined;
  readonly captchaRequired: boolean | undefined;
  readonly scope: string | undefined;
  readonly alternatives: readonly string[] | undefined;
  /** The presets that the form accepts. */
  readonly presets: readonly string[] | undefined;
  /** Lowest difficulty that the form accepts, in bits; NaN if the body lacks it. */
  readonly minDifficulty: number;
  /** Algorithms that the form accepts. */
  readonly algorithms: readonly string[] | undefined;
}

/** Reads any error body; another format yields no requirements. */
export function readRefusal(body: unknown): Refusal {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return {
    code: typeof fields.code === 'string' ? fields.code : undefined,
    captchaRequired: typeof fields.captcha_required === 'boolean' ? fields.captcha_required : undefined,
    scope: typeof fields.pow_scope === 'string' ? fields.pow_scope : undefined,
    alternatives: namesIn(fields.captcha_alternatives),
    presets: namesIn(fields.captcha_presets),
    minDifficulty: Number(fields.pow_min_difficulty),
    algorithms: namesIn(fields.pow_algorithms),
  };
}

function namesIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
}

/**
 * Error codes that precede the image check: servers check schema, rate limit and delay first, then the work, then the
 * image. A server may send one of these later, such as `validation_failed` from its own handler. Then the image is sent
 * again in vain, and `captcha_invalid` brings a new one.
 */
const codesBeforeImage = new Set([
  'body_too_large',
  'validation_failed',
  'rate_limited',
  'login_throttled',
  'pow_invalid',
  'pow_insufficient',
]);

/** Whether the image of the rejected submission can be sent again. */
export function keepsImage({ code = '' }: Refusal): boolean {
  return codesBeforeImage.has(code);
}
