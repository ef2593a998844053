// The public address as a stranger reaches it.

import type { Answer } from './answer.js';
import { exchange, type Route, type Sent } from './exchange.js';

/** What the public address is, and how it is reached. */
export interface Visit {
  /** `PUBLIC_URL`. */
  readonly publicUrl: string;
  /** Path of the challenges without slashes at its ends: `CAPTCHA_ROUTES_PREFIX`. */
  readonly challengePrefix: string;
  /** The origin that the application's pages have. */
  readonly pageOrigin: string;
  /** Address to connect to instead of what the host's name resolves to. */
  readonly connect?: string | undefined;
}

/** Sends requests to the public address. */
export interface Visitor extends Visit {
  /** @param path begins with a slash and is put behind the path of the public address */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Asks for a proof of work; with a ticket at the price of its account. */
  issueWork(ticket?: string): Promise<Answer>;
  /** Asks for an image challenge, which raises nobody's price. */
  issueImage(sent?: Sent): Promise<Answer>;
  /** Asks another address, of this host or not, over the same route. */
  ask(url: string, route?: Route): Promise<Answer>;
}

/** Makes a visitor; nothing is sent yet. */
export function createVisitor(visit: Visit): Visitor {
  const { publicUrl, challengePrefix, connect } = visit;
  const base = publicUrl.replace(/\/+$/, '');
  const send: Visitor['send'] = (method, path, sent) =>
    exchange(method, `${base}${path}`, { connect, ...sent });
  return {
    ...visit,
    send,
    issueWork: (ticket) =>
      send('GET', `/${challengePrefix}/pow${ticket === undefined ? '' : `?scope=${ticket}`}`),
    issueImage: (sent) => send('GET', `/${challengePrefix}`, sent),
    ask: (url, route) => exchange('GET', url, { connect, ...route }),
  };
}
