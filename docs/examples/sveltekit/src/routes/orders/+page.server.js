import { redirect } from '@sveltejs/kit';
import { createPageSession } from '@tollgate/session';
import { PUBLIC_URL, SESSION_URL } from '$app/env/private';

export async function load({ request, url, setHeaders }) {
  // Not at module scope: `vite build` loads this module without the variables.
  const session = createPageSession({ publicUrl: PUBLIC_URL, service: SESSION_URL });
  const user = await session(request);
  if (user === null) redirect(303, session.continueUrl(url), { external: true });
  setHeaders(session.responseHeaders);
  return { email: user.email };
}
