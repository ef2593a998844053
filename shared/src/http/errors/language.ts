// Which language an answer is in, and the headers that say so.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type Language, languages } from '../../messages/messages.js';
import { appendVary } from '../server/response-headers.js';

const MOST_CHARACTERS = 256;
const MOST_RANGES = 20;

/**
 * The part of an `Accept-Language` header that is read: its first 20 ranges, as far as they end within 256 characters.
 * Parsing takes longer the more there are, and every error answer does it.
 */
export function readableRanges(acceptLanguage: string): string {
  const ranges = acceptLanguage.slice(0, MOST_CHARACTERS).split(',');
  // What was cut inside a range would be another language.
  if (acceptLanguage.length > MOST_CHARACTERS && acceptLanguage[MOST_CHARACTERS] !== ',') ranges.pop();
  return ranges.slice(0, MOST_RANGES).join(',');
}

/** The best language for an `Accept-Language` header (RFC 9110, 12.5.4); English when none fits. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return languages[0];
  const negotiator = new Negotiator({ headers: { 'accept-language': readableRanges(acceptLanguage) } });
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
