// The requests behind single diagnoses: plain http, image, origins, sizes.

import { type Answer, textOf } from '../answer.js';
import type { Visitor } from '../visitor.js';
import type { BodyFacts } from './bodies.js';
import type { CrossOriginFacts } from './cross-origin.js';
import type { ImageFacts } from './image.js';
import type { OriginFacts } from './origins.js';

/** Nobody's page (RFC 2606). */
const FOREIGN = 'https://foreign.invalid';
const JSON_TYPE = { 'content-type': 'application/json' };
const HTTP_PORT = 80;
const PLAIN_MS = 3000;

/**
 * What plain http answers beside https; undefined when https has a port of its own, because then nobody types the
 * other one.
 */
export async function lookAtPlainHttp(
  { publicUrl, ask }: Visitor,
  port = HTTP_PORT,
): Promise<Answer | undefined> {
  const url = new URL(publicUrl);
  if (url.protocol !== 'https:' || (url.port !== '' && port === HTTP_PORT)) return undefined;
  return ask(`http://${url.hostname}:${port}/`, { timeoutMs: PLAIN_MS });
}

/** The image of a challenge, when its address is below the public one. */
export async function lookAtImage(
  visitor: Visitor,
  challenge: Answer,
): Promise<Pick<ImageFacts, 'challenge' | 'image'>> {
  const url = textOf(challenge, 'url');
  const isOurs = url.startsWith(`${visitor.publicUrl.replace(/\/+$/, '')}/`);
  return { challenge, image: isOurs ? await visitor.ask(url) : undefined };
}

/** Refreshes without a cookie, from here and from elsewhere. */
export async function lookAtOrigins(visitor: Visitor): Promise<Omit<OriginFacts, 'pageOrigin'>> {
  const refresh = (headers: Record<string, string>) => visitor.send('POST', '/refresh', { headers });
  return {
    own: await refresh({ origin: visitor.pageOrigin }),
    foreign: await refresh({ origin: FOREIGN }),
    crossSite: await refresh({ 'sec-fetch-site': 'cross-site' }),
  };
}

/** Preflights and plain requests, as browsers send them from the application's pages. */
export async function lookAtCrossOrigin(
  visitor: Visitor,
): Promise<Pick<CrossOriginFacts, 'preflights' | 'answers'>> {
  const { challengePrefix, pageOrigin: origin } = visitor;
  const work = `/${challengePrefix}/pow`;
  const preflight = (path: string, method: string) =>
    visitor.send('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  return {
    preflights: {
      'DELETE /refresh': await preflight('/refresh', 'DELETE'),
      'POST /login': await preflight('/login', 'POST'),
      [`GET ${work}`]: await preflight(work, 'GET'),
    },
    answers: {
      'POST /refresh': await visitor.send('POST', '/refresh', { headers: { origin } }),
      [`GET /${challengePrefix}`]: await visitor.issueImage({ headers: { origin } }),
    },
  };
}

/** Long things that are refused for their content, and one for its length. */
export async function lookAtBodies(visitor: Visitor): Promise<BodyFacts> {
  const post = (length: number) =>
    visitor.send('POST', '/login', {
      headers: JSON_TYPE,
      body: JSON.stringify({ filler: 'x'.repeat(length) }),
    });
  return {
    long: await post(8 * 1024),
    tooLong: await post(20 * 1024),
    longBearer: await visitor.send('GET', '/profile', {
      headers: { authorization: `Bearer ${'x'.repeat(4096)}` },
    }),
  };
}
