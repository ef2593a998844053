// A refusal as a page of its own: for a plain form, whose answer the browser shows.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type Language, messageIn } from '../../messages/messages.js';
import type { ErrorBody } from '../../schemas/error-body.js';
import type { ErrorAnswer } from '../errors/send-error.js';
import { appendVary } from '../server/vary.js';

const LONGEST_ACCEPT = 512;
const PAGE_TYPES = ['application/json', 'text/html'];

/** Says whether the client would rather have a page than JSON; one that names neither gets JSON. */
export function prefersPage(request: FastifyRequest): boolean {
  const { accept } = request.headers;
  if (accept === undefined || !accept.includes('text/html')) return false;
  const headers = { accept: accept.slice(0, LONGEST_ACCEPT) };
  return new Negotiator({ headers }).mediaType(PAGE_TYPES) === 'text/html';
}

/** Sends the texts of a refusal as a page without styles, scripts or anything else to load. */
export function sendRefusalPage(
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
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(message)}</title></head>
<body><main><h1>${escapeHtml(message)}</h1>${list}<p>${escapeHtml(messageIn(language, 'send_again'))}</p></main></body>
</html>
`;
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
