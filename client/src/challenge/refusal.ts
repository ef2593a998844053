// What the answer to a submission says about the next one.

/** The part of an error body that concerns challenges; what it did not say is undefined. */
export interface Refusal {
  readonly code: string | undefined;
  readonly captchaRequired: boolean | undefined;
  readonly scope: string | undefined;
  readonly alternatives: readonly string[] | undefined;
  /** The presets that the form accepts. */
  readonly presets: readonly string[] | undefined;
  /** The least bits of work that it accepts; not a number when it did not say. */
  readonly minDifficulty: number;
}

/**
 * Refusals that a person can bring about and that spend no image: work is judged before it, and shape, limit and delay
 * before both (decisions 2.3 "Order", 3.2). Where one came later all the same, such as `validation_failed` from a host's own handler, the image
 * is sent once more in vain: `captcha_invalid` then brings a new one.
 */
const sparingImages = new Set([
  'body_too_large',
  'validation_failed',
  'rate_limited',
  'login_throttled',
  'pow_invalid',
  'pow_insufficient',
]);

/** Reads whatever a host answered; a body in another form says nothing. */
export function readRefusal(body: unknown): Refusal {
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return {
    code: typeof said.code === 'string' ? said.code : undefined,
    captchaRequired: typeof said.captcha_required === 'boolean' ? said.captcha_required : undefined,
    scope: typeof said.pow_scope === 'string' ? said.pow_scope : undefined,
    alternatives: namesIn(said.captcha_alternatives),
    presets: namesIn(said.captcha_presets),
    minDifficulty: Number(said.pow_min_difficulty),
  };
}

function namesIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
}

/** Whether the image of the refused submission can be sent again. */
export function sparesImage({ code = '' }: Refusal): boolean {
  return sparingImages.has(code);
}
