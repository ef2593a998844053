// A person's requests to a session service without challenges.

import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { openServiceHere, type SessionListener } from './session-process.js';

/** The test account's password. */
export const PASSWORD = 'right password';
const ORIGIN = 'http://localhost:8080';

/** Logs in as ada@example.com. */
export function logIn({ publicUrl }: SessionListener): Promise<Response> {
  return fetch(`${publicUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify({ email: 'ada@example.com', password: PASSWORD }),
  });
}

/** Presents the cookie from an earlier response. */
export function refresh({ publicUrl }: SessionListener, cookie: string): Promise<Response> {
  return fetch(`${publicUrl}/refresh`, { method: 'POST', headers: { cookie, origin: ORIGIN } });
}

/** The refresh cookie in a response. */
export function cookieOf(answer: Response): string {
  return answer.headers.getSetCookie().at(0)?.split(';')[0] ?? '';
}

/** The checks in `/health/ready`. */
export async function checksOf({ adminUrl }: SessionListener): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${adminUrl}/health/ready`);
  return ((await response.json()) as { checks: Record<string, string> }).checks;
}

/** Starts the service and waits for its store, which it connects in parallel. */
export async function startReadyService(
  t: Test,
  env: Readonly<Record<string, string>>,
): ReturnType<typeof openServiceHere> {
  const service = await openServiceHere(t, env);
  while ((await checksOf(service)).store === 'failed') await pause(20);
  return service;
}

/** The log lines at level `error`. */
export function errorsOf({ log }: SessionListener): { readonly msg: string; readonly variable?: string }[] {
  return log.map((text) => JSON.parse(text)).filter(({ level }) => level === 'error');
}
