// What the answer to a submission says about the next one.

/** The part of an error body that concerns challenges; what it did not say is undefined. */
export interface Refusal {
  readonly code: string | undefined;
  readonly captchaRequired: boolean | undefined;
  readonly scope: string | undefined;
  readonly alternatives: readonly string[] | undefined;
}

/** Refusals that spend no image: work is judged before it, limit and delay before both (decisions 2.3 "Order", 3.2). */
const sparingImages = new Set(['pow_invalid', 'pow_insufficient', 'rate_limited', 'login_throttled']);

/** Reads whatever a host answered; a body in another form says nothing. */
export function readRefusal(body: unknown): Refusal {
  const said = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const alternatives = said.captcha_alternatives;
  return {
    code: typeof said.code === 'string' ? said.code : undefined,
    captchaRequired: typeof said.captcha_required === 'boolean' ? said.captcha_required : undefined,
    scope: typeof said.pow_scope === 'string' ? said.pow_scope : undefined,
    alternatives: Array.isArray(alternatives)
      ? alternatives.filter((name) => typeof name === 'string')
      : undefined,
  };
}

/** Whether the image of the refused submission can be sent again. */
export function sparesImage({ code = '' }: Refusal): boolean {
  return sparingImages.has(code);
}
