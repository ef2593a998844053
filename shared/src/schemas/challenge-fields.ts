// The challenge fields of a guarded body, under their configured names, as the documentation of a route shows them.

import { type TSchema, Type } from '@sinclair/typebox';
import type { CaptchaOptions } from './captcha-options.js';

/**
 * Properties to spread into the schema of a body. They validate nothing: the guard judges the fields, and says
 * of each what is wrong with it.
 */
export function challengeFields({ pow, fields }: CaptchaOptions): Record<string, TSchema> {
  const shown = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));
  return {
    [pow.fields.token]: shown('Token of a proof-of-work challenge; 40 letters and digits'),
    [pow.fields.nonce]: shown('Decimal number that solves it; 1 to 24 digits'),
    [fields.token]: shown('Token of an image challenge; once an image is demanded'),
    [fields.answer]: shown('The characters of the image; once an image is demanded'),
  };
}
