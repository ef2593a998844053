// Package entry: the user of a request to a server that renders pages.

import { verifyByKeys } from './key-verifier.js';
import { cookieOf, type PageRequest, pathOf } from './page-request.js';
import type { PageUser } from './page-user.js';
import { type CallOptions, SessionUnavailableError } from './service-call.js';
import { verifyByService } from './service-verifier.js';

export type { PageRequest } from './page-request.js';
export type { PageUser } from './page-user.js';
export type { CallOptions } from './service-call.js';
export { SessionUnavailableError };

export interface PageSessionOptions extends CallOptions {
  /** `PUBLIC_URL` of session-service. */
  readonly publicUrl: string | URL | undefined;
  /**
   * `service` asks session-service for each request, so ended sessions are rejected at once. `keys` verifies cookies in the
   * format `public` here, so an ended session counts until its cookie expires, `ACCESS_TTL` at most. `service` by default.
   */
  readonly verify?: 'service' | 'keys' | undefined;
  /** Address of session-service for this server, such as `http://127.0.0.1:3001`; `publicUrl` by default. */
  readonly service?: string | URL | undefined;
  /** `ACCESS_TOKEN_ISSUER`, if session-service has it; with `keys` only. */
  readonly issuer?: string | undefined;
}

export interface PageSession {
  /**
   * Returns the logged-in user of a `GET` or `HEAD` request, or null: also for every other method, because the cookie proves
   * nothing about who sent the request.
   * @throws SessionUnavailableError if session-service, or its keys, cannot be asked: the user is unknown, not logged out
   * @throws TypeError without `request.method`
   */
  (request: PageRequest): Promise<PageUser | null>;
  /**
   * Returns where to redirect a request without a user: a page that refreshes the session and returns, or leads to the
   * login page.
   * @param page the page to return to: its request, or its address of which only path and query count
   */
  continueUrl(page: PageRequest | URL | string): string;
  /** Headers for every response that depends on the user: shared caches must not store it, nor the Back button show it. */
  readonly responseHeaders: { readonly 'cache-control': string; readonly vary: string };
}

const ADDRESS = /^https?:[^\s@?#]+$/;

/**
 * Creates the session check of a server. Sends nothing yet.
 * @throws TypeError if an address is missing or malformed
 */
export function createPageSession(options: PageSessionOptions): PageSession {
  const publicUrl = address('publicUrl', options.publicUrl);
  const service = address('service', options.service ?? publicUrl);
  const name = publicUrl.startsWith('https:') ? '__Host-page' : 'page';
  const verify =
    options.verify === 'keys'
      ? verifyByKeys(service, options.issuer ?? String(options.publicUrl), options)
      : verifyByService(service, name, options);
  const session = async (request: PageRequest): Promise<PageUser | null> => {
    const { method } = request;
    if (method === undefined) throw new TypeError('request.method is missing');
    const values = method === 'GET' || method === 'HEAD' ? cookieOf(request, name) : [];
    return values.length > 0 ? verify(values, method) : null;
  };
  return Object.assign(session, {
    continueUrl: (page: PageRequest | URL | string) =>
      `${publicUrl}/refresh/continue?to=${encodeURIComponent(pathOf(page))}`,
    responseHeaders: { 'cache-control': 'private, no-store', vary: 'Cookie' },
  });
}

function address(option: string, value: string | URL | undefined): string {
  const text = String(value ?? '');
  if (!ADDRESS.test(text)) throw new TypeError(`Invalid ${option}`);
  return text.replace(/\/+$/, '');
}
