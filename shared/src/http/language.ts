// Which language an answer is in, and the headers that say so.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type Language, languages } from '../messages/messages.js';
import { appendVary } from './vary.js';

/** The best language for an `Accept-Language` header (RFC 9110, 12.5.4); English when none fits. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return languages[0];
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  return (negotiator.language(languages) as Language | undefined) ?? languages[0];
}

/** The language of a request's answer. */
export function languageOf(request: FastifyRequest): Language {
  return chooseLanguage(request.headers['accept-language']);
}

/** Says in an answer that its texts were chosen by language, and gives that language. */
export function localise(request: FastifyRequest, reply: FastifyReply): Language {
  const language = languageOf(request);
  reply.header('content-language', language);
  appendVary(reply, 'Accept-Language');
  return language;
}
