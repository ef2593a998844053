// Writes the answer to a request that failed.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MessageKey } from '../../messages/en.js';
import { type Language, messageIn } from '../../messages/messages.js';
import type { ErrorBody } from '../../schemas/error-body.js';
import type { FieldMessage, RefusalDetails } from './errors.js';
import { localise } from './language.js';

/** What an answer is made of, its texts not yet chosen. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: MessageKey;
  readonly details: RefusalDetails;
}

/** Sends `{ message, code, errors? }` and what else the error carries, in the language of the request. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ErrorAnswer,
  extension?: Readonly<Record<string, unknown>>,
): FastifyReply {
  const body = errorBody(answer, localise(request, reply), extension);
  if (answer.details.headers !== undefined) reply.headers(answer.details.headers);
  // Written here and not by a serialiser: the schema of a route must not drop a part of it.
  return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** The body of an answer, in a language. @param extension what the route adds; what the error itself says wins */
export function errorBody(
  { code, details }: ErrorAnswer,
  language: Language,
  extension: Readonly<Record<string, unknown>> = {},
): ErrorBody & Record<string, unknown> {
  const { fields } = details;
  return {
    ...extension,
    ...details.body,
    message: messageIn(language, code, details.params),
    code,
    ...(fields === undefined ? {} : { errors: textsOf(fields, language) }),
  };
}

/** The texts of each field, in a language. */
export function textsOf(
  fields: Readonly<Record<string, readonly FieldMessage[]>>,
  language: Language,
): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, messages]) => [
      name,
      messages.map((message) =>
        typeof message === 'string'
          ? messageIn(language, message)
          : messageIn(language, message.key, message.params),
      ),
    ]),
  );
}
