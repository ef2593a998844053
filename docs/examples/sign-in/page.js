// The script of every page: exchanges the code that the application has put into it, or resumes the session.
import { createSession } from '/session.js';

const { tollgate, code } = document.body.dataset;
// The token goes to Tollgate and to this application.
export const session = createSession({ baseUrl: tollgate, bearerOrigins: [location.origin] });

/** Exchanges a code. Says what the service says if it refuses. */
export async function signIn(code) {
  const response = await session.loginWithCode(code);
  if (!response.ok) tell((await response.json()).message);
}

/** Sends a body to this application, with the access token if somebody is signed in, and returns the answer's body. */
export async function post(path, body = {}) {
  const response = await session.fetch(new URL(path, location.href), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

export function tell(text) {
  document.querySelector('[role=alert]').textContent = text;
}

session.subscribe(() => {
  document.querySelector('output').value = session.state.status;
});
document.querySelector('#sign-out').addEventListener('click', () => session.logout().catch(tell));

// A provider has added its own code to the address.
if (location.search !== '') history.replaceState(null, '', location.pathname);
await (code ? signIn(code) : session.resume()).catch(tell);
