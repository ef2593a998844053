// Logins to the session service, for programs that measure subsequent requests.
import type { Site } from './site.js';
import { prepareSolvedWork } from './solved-work.js';

/** The account of programs that use one. */
export const ACCOUNT = { email: 'bench@example.com', password: 'a password of a benchmark' };

export interface SignedIn {
  readonly accessToken: string;
  /** The refresh token as a pair of name and value. */
  readonly cookie: string;
}

/** Returns so many accounts with the password of `ACCOUNT`. */
export function makeAccounts(count: number): (typeof ACCOUNT)[] {
  return Array.from({ length: count }, (_, at) => ({ ...ACCOUNT, email: `bench-${at}@example.com` }));
}

/**
 * Logs in `count` times, one after the other: concurrent attempts count as failures until each has ended.
 * @param accounts take turns
 * @throws Error if one is rejected
 */
export async function logIn(site: Site, count: number, accounts = [ACCOUNT]): Promise<SignedIn[]> {
  const solved = await prepareSolvedWork(site.storeUrl, site.environment.CHALLENGE_SECRET!, count);
  const signedIn: SignedIn[] = [];
  for (const [at, work] of solved.entries()) {
    const response = await fetch(`${site.session}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...accounts[at % accounts.length], ...work }),
    });
    if (!response.ok) throw new Error(`the login was rejected: ${await response.text()}`);
    const { accessToken } = (await response.json()) as { accessToken: string };
    signedIn.push({ accessToken, cookie: response.headers.getSetCookie().at(0)!.split(';')[0]! });
  }
  return signedIn;
}
