// Users who log in, use their session and log out, one after the other, until stopped.

import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD } from '@tollgate/test-support/static-directory.js';
import type { Answer, Client, Sent } from '../e2e/client.js';
import type { Secrets } from '../e2e/secrets.js';
import { solve } from '../solving.js';

interface SteadyLoad {
  /** Number of requests with a response. */
  readonly count: number;
  /** Lets all users finish; resolves with a line for each unexpected response. */
  stop(): Promise<string[]>;
}

interface SteadyLoadOptions {
  readonly people: number;
  /** Pause of each user between two requests, in milliseconds. */
  readonly pauseMs: number;
  /** First user id; loads must not share ids. */
  readonly firstUser: number;
}

/** Starts sending; every request has one correct response, whatever happens behind the gateway. */
export function startSteadyLoad(client: Client, secrets: Secrets, options: SteadyLoadOptions): SteadyLoad {
  const failures: string[] = [];
  let count = 0;
  let isRunning = true;

  async function send(method: string, path: string, status: number, sent: Sent = {}): Promise<Answer> {
    await sleep(options.pauseMs);
    count += 1;
    const what = `request ${count}, ${method} ${path.replace(/\?.*/, '')}`;
    let answer: Answer;
    try {
      answer = await client.send(method, path, sent);
    } catch (error) {
      failures.push(`${what}: ${(error as Error).message}`);
      throw error;
    }
    if (answer.status === status) return answer;
    failures.push(`${what}: ${answer.status} ${answer.text}`);
    throw new Error('answered otherwise');
  }

  async function work(scope?: string): Promise<object> {
    const query = scope === undefined ? '' : `?scope=${encodeURIComponent(scope)}`;
    const { json } = await send('GET', `/api/captcha/pow${query}`, 200);
    return { pow_token: json.token, pow_nonce: solve(json) };
  }

  async function visit(id: number, round: number): Promise<void> {
    const stranger = { email: `nobody${id}x${round}@example.com`, password: 'a wrong password' };
    const refused = await send('POST', '/login', 422, { body: { ...stranger, ...(await work()) } });
    secrets.note(stranger.email, refused.json.pow_scope);
    await work(refused.json.pow_scope);
    const image = await send('GET', '/api/captcha', 200);
    await send('GET', `/api/captcha/${image.json.token}.png`, 200);

    const user = { email: `user${id}@example.com`, password: PASSWORD };
    const signedIn = await send('POST', '/login', 200, { body: { ...user, ...(await work()) } });
    let cookie = signedIn.cookies.at(0)?.split(';')[0] ?? '';
    let authorization = `Bearer ${signedIn.json.accessToken}`;
    for (let refresh = 0; refresh < 3; refresh++) {
      await send('GET', '/profile', 200, { headers: { authorization } });
      await send('GET', '/verify', 204, { headers: { authorization } });
      const renewed = await send('POST', '/refresh', 200, { headers: { cookie } });
      cookie = renewed.cookies.at(0)?.split(';')[0] ?? '';
      authorization = `Bearer ${renewed.json.accessToken}`;
    }
    await send('GET', '/sessions', 200, { headers: { authorization } });
    await send('POST', '/logout', 204, { headers: { authorization, cookie } });
  }

  const people = Array.from({ length: options.people }, async (_, person) => {
    for (let round = 0; isRunning; round++) {
      // A visit ends with its first failure, which is recorded; the user returns.
      await visit(options.firstUser + person, round).catch(() => {});
    }
  });
  return {
    get count() {
      return count;
    },
    async stop() {
      isRunning = false;
      await Promise.all(people);
      return failures;
    },
  };
}
