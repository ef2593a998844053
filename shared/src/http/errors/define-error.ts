// Makes the classes of the errors that answers are made of.

import { createError } from '@fastify/error';
import type { MessageKey } from '../../messages/en.js';

/**
 * A class of errors. On the wire its code is in lower case, and its text is the message of that name.
 * No stack is collected: a refusal is normal, and a stack would only cost time.
 */
export const defineError = <C extends Uppercase<MessageKey>, S extends number>(code: C, status: S) =>
  createError(code, code, status, Error, false);
