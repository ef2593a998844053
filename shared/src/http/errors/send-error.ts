// Writes the answer to a request that failed.

import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MessageKey } from '../../messages/en.js';
import { type Language, messageIn } from '../../messages/messages.js';
import type { ErrorBody } from '../../schemas/error-body.js';
import { isAnswered } from '../server/unread-bodies.js';
import type { FieldMessage, RefusalDetails } from './errors.js';
import { localise } from './language.js';

/** An answer before its language is chosen. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: MessageKey;
  readonly details: RefusalDetails;
}

/**
 * Sends `{ message, code, errors? }` and the further properties of the error, in the language of the request.
 * @param extension properties that the route adds; those of the error win
 */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ErrorAnswer,
  extension?: Readonly<Record<string, unknown>>,
): FastifyReply {
  const body = errorBody(answer, localise(request, reply), extension);
  if (answer.details.headers !== undefined) reply.headers(answer.details.headers);
  // Serialised here, because the response schema of a route would drop the properties it does not know.
  return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/**
 * Returns the body of an answer in a language.
 * @param extension properties that the route adds; those of the error win
 */
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

/** Returns the texts of each field in a language. */
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

const statusLines = new Map<unknown, string>([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
]);

/**
 * Answers bytes that are not an HTTP request, or a request that is too slow or whose header is too long, with a bare
 * status line: there is no parsed request whose language or route the answer could follow.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable && !isAnswered(socket)) {
    const status = statusLines.get(error.code) ?? '400 Bad Request';
    socket.write(
      `HTTP/1.1 ${status}\r\nCache-Control: no-store\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
  }
  socket.destroy(error);
}
