// Sends error responses.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MessageKey } from '../../messages/en.js';
import { defaultLanguage, type Language, messageIn } from '../../messages/messages.js';
import type { ErrorBody } from '../../schemas/error-body.js';
import { endConnection, isAnswered, isEnding } from '../server/responses.js';
import {
  BadRequest,
  type CodedErrorClass,
  type FieldMessage,
  HeaderTooLarge,
  type RefusalDetails,
  RequestTimeout,
} from './errors.js';
import { localise } from './language.js';

/** A response before its language is chosen. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: MessageKey;
  readonly details: RefusalDetails;
}

/**
 * Sends `{ message, code, errors? }` and the further properties of the error, in the language of the request.
 * @param extension properties that the route adds; those of the error override them
 */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ErrorAnswer,
  extension?: Readonly<Record<string, unknown>>,
): FastifyReply {
  const body = errorBody(answer, localise(request, reply), extension);
  if (answer.details.headers !== undefined) reply.headers(answer.details.headers);
  // Serialised here, because the response schema of a route would drop unknown properties.
  return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/**
 * Returns the body of a response in a language.
 * @param extension properties that the route adds; those of the error override them
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

/** Returns the messages of each field in a language. */
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

const clientErrors = new Map<unknown, CodedErrorClass>([
  ['ERR_HTTP_REQUEST_TIMEOUT', RequestTimeout],
  ['HPE_HEADER_OVERFLOW', HeaderTooLarge],
]);

/**
 * Responds to bytes that are not an HTTP request, or to a request that is too slow or whose header is too long. The response
 * is in English: there is no parsed request with a language.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // The parser reports everything that arrives after an error.
  if (error.code === 'ECONNRESET' || socket.destroyed || isEnding(socket)) return;
  if (socket.writable && !isAnswered(socket)) writeError(socket, clientErrors.get(error.code) ?? BadRequest);
  // Slow senders get no more time; others may still send, and a gateway takes a reset for a failed process.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy(error);
  else endConnection(socket);
}

/** Responds to CONNECT. Node would end the connection without a response, which a gateway takes for a failed process. */
export function answerConnect(_request: unknown, socket: Socket): void {
  writeError(socket, BadRequest);
  endConnection(socket);
}

function writeError(socket: Socket, errorClass: CodedErrorClass): void {
  const { statusCode: status = 400, code } = new errorClass();
  const body = errorBody({ status, code: code.toLowerCase() as MessageKey, details: {} }, defaultLanguage);
  socket.write(messageOf(status, JSON.stringify(body)));
}

function messageOf(status: number, body: string): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Language: ${defaultLanguage}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
