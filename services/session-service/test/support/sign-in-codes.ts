// Sign-in code requests by an application and its page, and the resulting tokens.

import type { LightMyRequestResponse } from 'fastify';
import { API_KEY, type Held, PUBLIC_URL, type SessionNode } from './session-node.js';

/** Requests a code on the admin port. */
export function askForCode(
  { admin }: SessionNode,
  id: number | string,
  body: object = { origin: PUBLIC_URL },
): Promise<LightMyRequestResponse> {
  return admin.inject({
    method: 'POST',
    url: `/users/${id}/sign-in-codes`,
    headers: { authorization: `Bearer ${API_KEY}` },
    payload: body,
  });
}

/** A code for a user. */
export async function codeFor(node: SessionNode, id: number | string, claims: object = {}): Promise<string> {
  const answer = await askForCode(node, id, { origin: PUBLIC_URL, ...claims });
  if (answer.statusCode !== 200) throw new Error(`code: ${answer.statusCode} ${answer.body}`);
  return answer.json().code;
}

/** Exchanges a code as a page does. */
export function exchange(
  { app }: SessionNode,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return app.inject({
    method: 'POST',
    url: '/login/code',
    headers: { origin: PUBLIC_URL, 'user-agent': 'a browser', ...headers },
    payload: body,
  });
}

/** An access token's introspection, as an application sees it. */
export async function introspected(
  { admin }: SessionNode,
  { accessToken }: Pick<Held, 'accessToken'>,
): Promise<Record<string, unknown>> {
  const answer = await admin.inject({
    method: 'POST',
    url: '/introspect',
    headers: {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ token: accessToken }).toString(),
  });
  return answer.json();
}
