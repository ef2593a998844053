// Real system with cheap challenges and high limits, which records every request.

import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { startServiceHere } from '@tollgate/tests/system/services-here.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';

interface RealService {
  /** Gateway address: `baseUrl` of the client. */
  readonly address: string;
  readonly system: System;
  /** Paths of requests to the challenge service, in order, without tickets. */
  readonly requested: string[];
  /** Answer to the newest image, reported in test mode. */
  answer(): string;
  /** Sends a login with these challenge fields, for `submit`; optionally from another client address. */
  signIn(
    email: string,
    password?: string,
    from?: string,
  ): (fields: Record<string, string>) => Promise<Response>;
}

/** Password of every account. */
export const password = 'correct horse battery staple';

const cheap: Environment = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
  CAPTCHA_TEST_MODE: 'true',
  CAPTCHA_POW_DIFFICULTY: '1',
  CAPTCHA_POW_MAX_DIFFICULTY: '12',
  CAPTCHA_MIN_SECONDS: '0',
  RATE_LIMIT_POW: '100000',
  RATE_LIMIT_ISSUE: '100000',
  RATE_LIMIT_IMAGE: '100000',
  RATE_LIMIT_LOGIN: '100000',
};

/** Starts the system with accounts for these e-mail addresses; it stops when the test ends. */
export async function startRealService(
  t: Test,
  environment: Environment = {},
  users: readonly string[] = [],
): Promise<RealService> {
  const system = await startSystem({
    startService: startServiceHere,
    environment: { DATA_DIR: tempDir(t), ...cheap, ...environment },
    accounts: users.map((email) => ({ email, password })),
  });
  t.teardown(() => system.stop());
  const requested: string[] = [];
  let newest = '';
  t.teardown(
    watchFetch(async (url, response) => {
      if (url.origin !== system.address || !url.pathname.startsWith('/api/captcha')) return;
      url.searchParams.delete('hint');
      if (url.searchParams.has('scope')) url.searchParams.set('scope', 'TICKET');
      requested.push(url.pathname.slice('/api/captcha'.length) + url.search);
      const body = await response.clone().json();
      newest = body.answer ?? newest;
    }),
  );
  return {
    address: system.address,
    system,
    requested,
    answer: () => newest,
    signIn:
      (email, given = password, from) =>
      (fields) =>
        // Sent directly to the service, like a trusted proxy with another client address.
        fetch(`${from === undefined ? system.address : `http://127.0.0.1:${system.ports.session}`}/login`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            ...(from === undefined ? {} : { 'X-Forwarded-For': from }),
          },
          body: JSON.stringify({ email, password: given, ...fields }),
        }),
  };
}

/** Observes every response of `fetch`. @returns a function that stops it */
function watchFetch(look: (url: URL, response: Response) => Promise<void>): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    await look(new URL(String(input)), response);
    return response;
  };
  return () => {
    globalThis.fetch = fetch;
  };
}
