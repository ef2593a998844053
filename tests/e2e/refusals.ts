// Complete rejection bodies, as in the specification.

import { en } from '@tollgate/shared/messages';
import type { Answer } from './client.js';

type Code = keyof typeof en;

const TICKET = /^[A-Za-z0-9_-]{1,128}$/;
const SOME_TICKET = 'a ticket';

/** `{ message, code }` in English, and the body's other fields. */
export function refusal(code: Code, more: object = {}): object {
  return { message: en[code], code, ...more };
}

/** A rejected login, as shown by `bodyOf`: the next attempt's requirements, and the error of each field. */
export function refusedLogIn(
  code: Code,
  captchaRequired: boolean,
  fields?: Readonly<Record<string, Code>>,
): object {
  const errors = fields && errorsOf(fields);
  return refusal(code, {
    captcha_required: captchaRequired,
    pow_scope: SOME_TICKET,
    ...(captchaRequired && { captcha_alternatives: ['effort'] }),
    ...(errors && { errors }),
  });
}

/** A login rejected before its work is verified: it reveals nothing of any account. */
export function refusedUnproven(
  code: Code,
  fields: Readonly<Record<string, Code>> | undefined,
  carriedImage = false,
  hasScript = true,
): object {
  return refusal(code, {
    captcha_required: carriedImage,
    ...(carriedImage && hasScript && { captcha_alternatives: ['effort'] }),
    ...(fields && { errors: errorsOf(fields) }),
  });
}

/** The body of a response; a valid ticket, which differs each time, becomes `a ticket`. */
export function bodyOf({ json }: Answer): object {
  return TICKET.test(json?.pow_scope ?? '') ? { ...json, pow_scope: SOME_TICKET } : json;
}

function errorsOf(fields: Readonly<Record<string, Code>>): object {
  return Object.fromEntries(Object.entries(fields).map(([name, problem]) => [name, [en[problem]]]));
}
