// A logged-in session with a scripted service, and clocks controlled by the test.
import type { Test } from 'tap';
import { openTestSession, type TestSession, type TestSessionOptions } from './session-clock.js';
import {
  grant,
  type ScriptedResponse,
  type ScriptedService,
  startScriptedService,
} from './session-script.js';

export const loginFields = { email: 'a@example.com', password: 'secret', pow_token: 't', pow_nonce: '1' };
export const refreshing = 'POST /refresh';

interface SignedIn extends TestSession {
  readonly script: ScriptedService;
  readonly token: string;
}

/** @param expiresIn token lifetime of the login, in seconds; by default the schedule is exact and refreshes succeed */
export async function signIn(t: Test, expiresIn = 900, options: TestSessionOptions = {}): Promise<SignedIn> {
  const script = await startScriptedService(t);
  const steered = openTestSession(t, script.address, { jitterSeconds: 0, ...options });
  const granted = grant(expiresIn);
  script.setResponses('POST /login', granted);
  script.setResponses(refreshing, grant(900));
  await steered.session.login(loginFields);
  return { script, token: tokenOf(granted), ...steered };
}

export function tokenOf({ body }: ScriptedResponse): string {
  return (body as { accessToken: string }).accessToken;
}
