// What the next submission of a form must contain, as far as the client knows from refusals.

import type { ChallengeOptions } from './challenge-options.js';

export interface Requirements {
  readonly captchaRequired: boolean;
  /** Which captcha satisfies them: an image, or work in its place. */
  readonly kind: 'image' | 'effort';
  readonly alternatives: readonly string[];
  /** The ticket that prices the next work. */
  readonly scope: string | undefined;
  /** The presets that the form accepts; undefined if it has not said. */
  readonly presets?: readonly string[] | undefined;
  /** The fewest bits of work that the form accepts, as the page or a refusal says. */
  readonly minDifficulty?: number | undefined;
  /** The algorithms of work to ask for: those of the page, or those that a refusal says the form accepts. */
  readonly algorithms?: readonly string[] | undefined;
}

type ImageOption = NonNullable<ChallengeOptions['image']>;

/** The requirements of a form that has not been sent yet, and again after each success: what its page says of them. */
export function initialRequirements(options: ChallengeOptions): Requirements {
  const captchaRequired = options.image === 'always';
  // Only refusals name the alternatives; a service with `effort` disabled refuses the request for it.
  return {
    ...options,
    captchaRequired,
    kind: 'image',
    alternatives: captchaRequired ? ['effort'] : [],
    scope: undefined,
  };
}

/** The requirements after a refusal; what the refusal does not mention stays as it was. */
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

/** The requirements where the service does not offer `effort`. */
export function withoutEffort(requirements: Requirements): Requirements {
  return {
    ...requirements,
    kind: 'image',
    alternatives: requirements.alternatives.filter((name) => name !== 'effort'),
  };
}

/** The fields of an error body that concern challenges; undefined where the body does not have them. */
export interface Refusal {
  readonly code: string | undefined;
  readonly captchaRequired: boolean | undefined;
  readonly scope: string | undefined;
  readonly alternatives: readonly string[] | undefined;
  /** The presets that the form accepts. */
  readonly presets: readonly string[] | undefined;
  /** The fewest bits of work that the form accepts; NaN if the body does not say. */
  readonly minDifficulty: number;
  /** The algorithms of work that the form accepts. */
  readonly algorithms: readonly string[] | undefined;
}

/** Reads the body of any error response; a body in another format yields no requirements. */
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
 * Codes of refusals that come before an image is checked: servers check shape, rate limit and delay first, then the
 * work, then the image. If a server sends one of these later, as with `validation_failed` from its own handler, the
 * image is sent again in vain, and `captcha_invalid` brings a new one.
 */
const codesBeforeImage = new Set([
  'body_too_large',
  'validation_failed',
  'rate_limited',
  'login_throttled',
  'pow_invalid',
  'pow_insufficient',
]);

/** Whether the image of the refused submission can be sent again. */
export function keepsImage({ code = '' }: Refusal): boolean {
  return codesBeforeImage.has(code);
}
