// A visitor of a guarded site, as the gateway describes it to the service.

import { findNonce } from '@tollgate/test-support/find-nonce.js';
import type { LightMyRequestResponse } from 'fastify';
import type { ChallengeNode } from '../../../test/challenge-node.js';

export const SITE = 'https://www.example.com';
export const OTHER = 'http://localhost:8081';

/**
 * Variables of a service with a gate for both sites.
 * @param options additional gate options
 */
export function gateEnvironment(options: object = {}): Record<string, string> {
  return {
    GATE: JSON.stringify({ sites: [SITE, OTHER], ...options }),
    TRUST_PROXY: 'loopback',
    CAPTCHA_POW_DIFFICULTY: '1',
    CAPTCHA_TEST_MODE: 'true',
    CAPTCHA_MIN_SECONDS: '0',
    RATE_LIMIT_GATE: '100000',
    RATE_LIMIT_POW: '100000',
  };
}

interface Visit {
  readonly site?: string;
  readonly ip?: string;
  readonly method?: string;
  /** Path and query. */
  readonly target?: string;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Request headers of a browser that opens a page. */
export const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };

function headersOf({ site = SITE, ip = '203.0.113.7', cookie, headers }: Visit): Record<string, string> {
  return {
    'x-forwarded-for': ip,
    'x-forwarded-host': new URL(site).host,
    'x-forwarded-proto': 'http',
    ...(cookie === undefined ? {} : { cookie }),
    ...headers,
  };
}

/** The service's response to the gateway's check. */
export function ask(node: ChallengeNode, visit: Visit = {}): Promise<LightMyRequestResponse> {
  const { method = 'GET', target = '/' } = visit;
  const headers = { 'x-forwarded-method': method, 'x-forwarded-uri': target, ...headersOf(visit) };
  return node.inject({ method: 'GET', url: '/api/captcha/gate/check', headers });
}

/** Solved work as form fields. */
export async function workOf(node: ChallengeNode, visit: Visit = {}): Promise<Record<string, string>> {
  const answer = await node.inject({ method: 'GET', url: '/api/captcha/pow', headers: headersOf(visit) });
  const { token, salt, difficulty } = answer.json();
  return { pow_token: token, pow_nonce: findNonce(salt, difficulty) };
}

/** Submits a form for a pass. */
export function submit(
  node: ChallengeNode,
  fields: Readonly<Record<string, string>>,
  visit: Visit = {},
): Promise<LightMyRequestResponse> {
  return node.inject({
    method: 'POST',
    url: '/api/captcha/gate/pass',
    headers: { ...headersOf(visit), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

/** The note embedded in a page. */
export function noteIn(page: string): string {
  const [, note] = /name="sent_to" value="([^"]*)"/.exec(page) ?? [];
  if (note === undefined) throw new Error('the page has no note');
  return note;
}

/** The pass set by a response, as the browser sends it. */
export const cookieOf = (answer: LightMyRequestResponse): string =>
  String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';

/** Solves a challenge for a pass. Returns the cookie as the browser sends it. */
export async function passOf(node: ChallengeNode, visit: Visit = {}): Promise<string> {
  const answer = await submit(node, await workOf(node, visit), visit);
  const cookie = String(answer.headers['set-cookie'] ?? '');
  if (answer.statusCode !== 200 || cookie === '') throw new Error(`no pass: ${answer.payload}`);
  return cookie.split(';')[0] ?? '';
}
