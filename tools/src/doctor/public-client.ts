// Sends requests to the public address as any client can.

import { lookup } from 'node:dns/promises';
import type { Answer } from './answer.js';
import { exchange, type RequestOptions, type Route } from './exchange.js';

/** The public address, and its route. */
export interface PublicAddress {
  /** `PUBLIC_URL`. */
  readonly publicUrl: string;
  /** Challenge path without leading and trailing slashes: `CAPTCHA_ROUTES_PREFIX`. */
  readonly challengePrefix: string;
  /** Origin of the application's pages. */
  readonly pageOrigin: string;
  /** IP address to connect to in place of DNS resolution. */
  readonly connect?: string | undefined;
}

/** Sends requests to the public address. */
export interface PublicClient extends PublicAddress {
  /** @param path begins with a slash and is appended to the path of the public address */
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Requests a proof of work; with a ticket, at the price of its account. */
  issueWork(ticket?: string): Promise<Answer>;
  /** Requests an image challenge, which raises no price. */
  issueImage(options?: RequestOptions): Promise<Answer>;
  /** Requests any URL, of this host or another, with the same `connect`. */
  get(url: string, route?: Route): Promise<Answer>;
}

/** Creates the client; it sends nothing yet. */
export function createPublicClient(address: PublicAddress): PublicClient {
  const { publicUrl, challengePrefix, connect } = address;
  const base = publicUrl.replace(/\/+$/, '');
  const send: PublicClient['send'] = (method, path, options) =>
    exchange(method, `${base}${path}`, { connect, ...options });
  return {
    ...address,
    send,
    issueWork: (ticket) =>
      send('GET', `/${challengePrefix}/pow${ticket === undefined ? '' : `?scope=${ticket}`}`),
    issueImage: (options) => send('GET', `/${challengePrefix}`, options),
    get: (url, route) => exchange('GET', url, { connect, ...route }),
  };
}

/** IP addresses of the public host; none if it cannot be resolved. */
export async function addressesOf({ publicUrl, connect }: PublicAddress): Promise<string[]> {
  if (connect !== undefined) return [connect];
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
