// Chooses the language of a response, and sets its headers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { defaultLanguage, type Language, languages } from '../../messages/messages.js';
import { appendVary } from '../server/responses.js';

const MAX_CHARACTERS = 256;
const MAX_RANGES = 20;

/**
 * Returns the part of an `Accept-Language` header that is parsed: its first 20 ranges, as far as they end within 256
 * characters. Every error response parses it, and longer headers take longer.
 */
export function readableRanges(acceptLanguage: string): string {
  const ranges = acceptLanguage.slice(0, MAX_CHARACTERS).split(',');
  // A truncated range could name another language.
  if (acceptLanguage.length > MAX_CHARACTERS && acceptLanguage[MAX_CHARACTERS] !== ',') ranges.pop();
  return ranges.slice(0, MAX_RANGES).join(',');
}

/**
 * Returns the best language for an `Accept-Language` header (RFC 9110, 12.5.4); English if none matches. Chinese is
 * traditional in Taiwan, Hong Kong and Macau, and Portuguese is European outside of America.
 */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return defaultLanguage;
  const ranges = readableRanges(acceptLanguage)
    .replace(/\bzh-(?:hant|tw|hk|mo)\b[\w-]*/gi, 'zh-Hant')
    .replace(/\bpt-(?:pt|ao|ch|cv|gq|gw|lu|mo|mz|st|tl)\b[\w-]*/gi, 'pt-PT');
  const negotiator = new Negotiator({ headers: { 'accept-language': ranges } });
  return (negotiator.language([...languages]) as Language | undefined) ?? defaultLanguage;
}

/** Returns the language of the response to a request. */
function languageOf(request: FastifyRequest): Language {
  return chooseLanguage(request.headers['accept-language']);
}

/** Sets `Content-Language` and `Vary` of a response, and returns its language. */
export function localise(request: FastifyRequest, reply: FastifyReply): Language {
  const language = languageOf(request);
  reply.header('content-language', language);
  appendVary(reply, 'Accept-Language');
  return language;
}
