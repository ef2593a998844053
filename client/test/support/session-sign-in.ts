// A session that has just signed in at a scripted service, with clocks that the test controls.
import type { Test } from 'tap';
import { type SteeredSession, type SteerOptions, steerSession } from './session-clock.js';
import { grant, type Script, type ScriptedAnswer, startScript } from './session-script.js';

export const loginFields = { email: 'a@example.com', password: 'secret', pow_token: 't', pow_nonce: '1' };
export const refreshing = 'POST /refresh';

export interface SignedIn extends SteeredSession {
  readonly script: Script;
  readonly token: string;
}

/** @param expiresIn of the log-in's token, seconds; by default the schedule is exact and refreshes succeed */
export async function signIn(t: Test, expiresIn = 900, options: SteerOptions = {}): Promise<SignedIn> {
  const script = await startScript(t);
  const steered = steerSession(t, script.address, { jitterSeconds: 0, ...options });
  const granted = grant(expiresIn);
  script.plan('POST /login', granted);
  script.plan(refreshing, grant(900));
  await steered.session.login(loginFields);
  return { script, token: tokenOf(granted), ...steered };
}

export function tokenOf({ body }: ScriptedAnswer): string {
  return (body as { accessToken: string }).accessToken;
}
