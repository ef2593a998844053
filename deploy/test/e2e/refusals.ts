// The bodies of refusals, whole, as the specification has them.

import { en } from '@tollgate/shared/messages/en.js';

type Code = keyof typeof en;

/** `{ message, code }` in English, and what else the body holds. */
export function refusal(code: Code, more: object = {}): object {
  return { message: en[code], code, ...more };
}

/** A refused log-in: with `captcha_required`, and what is wrong with which field. */
export function refusedLogIn(
  code: Code,
  captchaRequired: boolean,
  fields?: Readonly<Record<string, Code>>,
): object {
  const errors =
    fields && Object.fromEntries(Object.entries(fields).map(([name, problem]) => [name, [en[problem]]]));
  return refusal(code, { captcha_required: captchaRequired, ...(errors && { errors }) });
}
