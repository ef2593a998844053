// Asks session-service for the user of a page cookie.

import type { Verify } from './page-user.js';
import { type CallOptions, callService, SessionUnavailableError } from './service-call.js';

export function verifyByService(service: string, name: string, options: CallOptions): Verify {
  const url = `${service}/verify/page`;
  return async (values, method) => {
    const cookie = values.map((value) => `${name}=${value}`).join('; ');
    const { status, headers } = await callService(url, { cookie, 'x-forwarded-method': method }, options);
    if (status === 401) return null;
    const id = headers.get('x-auth-user-id');
    if (status !== 204 || !id) throw new SessionUnavailableError(`${url}: status ${status}`);
    return {
      id,
      email: decodeURIComponent(headers.get('x-auth-user-email') ?? ''),
      sessionId: headers.get('x-auth-session-id') ?? '',
      authTime: Number(headers.get('x-auth-time')) || undefined,
      amr: headers.get('x-auth-amr')?.split(','),
    };
  };
}
