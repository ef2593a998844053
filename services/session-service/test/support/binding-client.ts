// A client that stores its cookies and proves its device key.

import { type Device, registration, renewal } from '@tollgate/test-support/device-key.js';
import type { LightMyRequestResponse } from 'fastify';
import { PASSWORD, type SessionNode } from './session-node.js';

type Headers = Readonly<Record<string, string>>;

/** A browser, or a thief with a copy of its cookies. */
export interface BindingClient {
  readonly cookies: Map<string, string>;
  /** Its session id. */
  sid: string;
  send(method: 'POST' | 'DELETE', url: string, headers?: Headers): Promise<LightMyRequestResponse>;
  logIn(email: string, headers?: Headers): Promise<LightMyRequestResponse>;
  refresh(headers?: Headers): Promise<LightMyRequestResponse>;
  /** Registers a key for the challenge in a response. */
  bind(device: Device, answer: LightMyRequestResponse): Promise<LightMyRequestResponse>;
  /** Renews as browsers do: requests a challenge and signs it. */
  renew(device: Device): Promise<LightMyRequestResponse>;
  /** A client with a copy of these cookies; without names, of all. */
  copy(...names: string[]): BindingClient;
}

/** @param start another client's cookies */
export function newClient(
  node: SessionNode,
  start: readonly (readonly [string, string])[] = [],
): BindingClient {
  const cookies = new Map(start);
  const client: BindingClient = {
    cookies,
    sid: '',
    async send(method, url, headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await node.app.inject({
        method,
        url,
        headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      });
      keep(cookies, answer);
      return answer;
    },
    async logIn(email, headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await node.app.inject({
        method: 'POST',
        url: '/login',
        headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
        payload: { email, password: PASSWORD },
      });
      keep(cookies, answer);
      const authorization = `Bearer ${answer.json().accessToken}`;
      const verified = await node.app.inject({ url: '/verify', headers: { authorization } });
      client.sid = String(verified.headers['x-auth-session-id']);
      return answer;
    },
    refresh: (headers) => client.send('POST', '/refresh', headers),
    bind: (device, answer) =>
      client.send('POST', '/refresh/bind', {
        'secure-session-response': registration(device, registrationChallenge(answer)),
      }),
    async renew(device) {
      const headers = { 'sec-secure-session-id': client.sid };
      const asked = await client.send('POST', '/refresh/renew', headers);
      if (asked.statusCode !== 403) return asked;
      return client.send('POST', '/refresh/renew', {
        ...headers,
        'secure-session-response': renewal(device, renewalChallenge(asked)),
      });
    },
    copy(...names) {
      const copied = [...cookies].filter(([name]) => names.length === 0 || names.includes(name));
      return Object.assign(newClient(node, copied), { sid: client.sid });
    },
  };
  return client;
}

/** The challenge that offers a registration. */
export function registrationChallenge({ headers }: LightMyRequestResponse): string {
  return /;challenge="([^"]+)"$/.exec(String(headers['secure-session-registration']))?.[1] ?? '';
}

/** The challenge in a 403 response to a renewal. */
export function renewalChallenge({ headers }: LightMyRequestResponse): string {
  return /^"([^"]+)";id=/.exec(String(headers['secure-session-challenge']))?.[1] ?? '';
}

export function nonceOf({ headers }: LightMyRequestResponse): string {
  return String(headers['refresh-nonce']);
}

/** The values of each `Set-Cookie` line in a response. */
export function setCookies({ headers }: LightMyRequestResponse): string[] {
  return [headers['set-cookie'] ?? []].flat();
}

function keep(cookies: Map<string, string>, answer: LightMyRequestResponse): void {
  for (const line of setCookies(answer)) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/;\s*Domain=|Partitioned/i.test(line)) continue;
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}
