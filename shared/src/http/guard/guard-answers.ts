// Error responses of guarded routes: as the application decides, else a page for browsers and JSON for programs.

import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { ChallengeVerifier } from '../../challenges/challenge-verifier.js';
import { demandOf, type FormRules, requirementsOf } from '../../challenges/form-rules.js';
import type { AttemptedAccount, FailedVerdict, Submission } from '../../challenges/submission.js';
import { escapeHtml } from '../../messages/escape-html.js';
import { type Language, messageIn, rightToLeft } from '../../messages/messages.js';
import type { ErrorBody } from '../../schemas/error-body.js';
import { StoreUnavailableError } from '../../store/store.js';
import { isExpectedError, resolveAnswer } from '../errors/error-handler.js';
import {
  CaptchaInvalid,
  CaptchaRequired,
  PassExhausted,
  PassInvalid,
  PowInsufficient,
  PowInvalid,
  PresetRefused,
  refuse,
  StoreUnavailable,
} from '../errors/errors.js';
import { localise } from '../errors/language.js';
import { type ErrorAnswer, errorBody, sendError, textsOf } from '../errors/send-error.js';
import { appendVary } from '../server/responses.js';

const MAX_ACCEPT_CHARACTERS = 512;
const PAGE_TYPES = ['application/json', 'text/html'];

/** A rejected submission. */
export interface ChallengeRefusal {
  readonly ok: false;
  readonly status: 422;
  /**
   * The JSON response: `message` in the language of the request, `code`, `errors` with a list of messages for each field,
   * `captcha_required`, and if applicable `captcha_alternatives` and `pow_scope`.
   */
  readonly body: ErrorBody & Readonly<Record<string, unknown>>;
}

/** The verdict of the guards of a route. */
export type ChallengeVerdict = { readonly ok: true } | ChallengeRefusal;

/** Responds to a rejected submission. Its return value is sent, with status 422 unless it sets another. */
export type OnRefused = (request: FastifyRequest, reply: FastifyReply, refusal: ChallengeRefusal) => unknown;

/** The error handler of a guarded route. Passes unexpected errors on to the application's own. */
export async function answerGuarded(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { name } = request.server.errorHandler;
  const hasDefaultHandler = name === 'defaultErrorHandler';
  const hasCustomHandler = !hasDefaultHandler && name !== 'bound answerError';
  if (!isExpectedError(error)) {
    if (hasDefaultHandler && request.challengeVerdict?.ok && isClientError(error.statusCode)) {
      return answerAsFramework(error, reply);
    }
    throw error;
  }
  const { answer, extension } = await resolveAnswer(error, request);
  const language = localise(request, reply);
  const body = errorBody(answer, language, extension);
  if (answer.status === 422) {
    const refusal: ChallengeRefusal = { ok: false, status: 422, body };
    request.challengeVerdict = refusal;
    const { onRefused } = request.routeOptions.config;
    if (onRefused !== undefined) return onRefused(request, reply.code(422), refusal);
  }
  if (hasCustomHandler) {
    const { headers = {} } = answer.details;
    reply.headers(headers);
    throw error instanceof StoreUnavailableError
      ? refuse(StoreUnavailable, { headers })
      : Object.assign(error, error.validation === undefined ? { message: body.message } : {});
  }
  if (prefersPage(request)) return sendRefusalPage(reply, answer, body, language);
  return sendError(request, reply, answer, extension);
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** Sends Fastify's own response, but with the preSerialization hooks of the route. */
function answerAsFramework(error: FastifyError, reply: FastifyReply): FastifyReply {
  const { statusCode = 400, code, message } = error;
  return reply.code(statusCode).send({
    statusCode,
    ...(code === undefined ? {} : { code }),
    error: STATUS_CODES[statusCode],
    message,
  });
}

/** Returns whether the client prefers a page to JSON; without a preference the response is JSON. */
export function prefersPage(request: FastifyRequest): boolean {
  const { accept } = request.headers;
  if (accept === undefined || !accept.includes('text/html')) return false;
  const headers = { accept: accept.slice(0, MAX_ACCEPT_CHARACTERS) };
  return new Negotiator({ headers }).mediaType(PAGE_TYPES) === 'text/html';
}

/** Sends the messages of a rejection as a page that loads nothing: no styles, no scripts. */
function sendRefusalPage(
  reply: FastifyReply,
  { status, details }: ErrorAnswer,
  { message, errors = {} }: ErrorBody,
  language: Language,
): FastifyReply {
  if (details.headers !== undefined) reply.headers(details.headers);
  appendVary(reply, 'Accept');
  reply.headers({
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
  const items = [...new Set(Object.values(errors).flat())].map((text) => `<li>${escapeHtml(text)}</li>`);
  const list = items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
  const page = `<!doctype html>
<html lang="${language}" dir="${rightToLeft.includes(language) ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(message)}</title></head>
<body><main><h1>${escapeHtml(message)}</h1>${list}<p>${escapeHtml(messageIn(language, 'send_again'))}</p></main></body>
</html>
`;
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}

const ERRORS = {
  pow_invalid: PowInvalid,
  pow_insufficient: PowInsufficient,
  captcha_invalid: CaptchaInvalid,
  captcha_required: CaptchaRequired,
  preset_refused: PresetRefused,
  pass_invalid: PassInvalid,
  pass_exhausted: PassExhausted,
};

/**
 * Logs a failed verdict and returns the error to throw, with the requirements of the next attempt in its body.
 * @param account its failures are read only if the work of the submission was valid
 * @param submission the failed one; by default the one that the guard has read
 * @throws StoreUnavailableError
 */
export async function challengeError(
  request: FastifyRequest,
  verifier: ChallengeVerifier,
  verdict: FailedVerdict,
  account: AttemptedAccount | undefined,
  rules: FormRules = {},
  submission: Submission = request.guarded?.fields ?? {},
): Promise<Error> {
  request.log.info({ code: verdict.code, reason: verdict.reason }, 'challenge rejected');
  const next = await verifier.nextAttemptAfter(verdict, {
    submission,
    account,
    ip: request.ip,
    demand: demandOf(rules),
  });
  const body = { ...requirementsOf(next, rules, verifier.options, submission) };
  const { code, fields, waitMs, reason } = verdict;
  const headers = waitMs === undefined ? {} : { 'retry-after': Math.ceil(waitMs / 1000) };
  return refuse(ERRORS[code], { fields, body, headers, reason });
}

/** Returns the body of a failed verdict in a language: `message`, `code` and `errors`. */
export function verdictBody({ code, fields }: FailedVerdict, language: Language) {
  return { message: messageIn(language, code), code, errors: textsOf(fields, language) };
}
