import { createPageSession } from '@tollgate/session';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';

export default async function Orders() {
  // First, because `next build` stops here, and has no variables.
  const request = { method: 'GET', headers: await headers() };
  const session = createPageSession({ publicUrl: process.env.PUBLIC_URL, service: process.env.SESSION_URL });
  const user = await session(request);
  if (user === null) redirect(session.continueUrl('/orders'));
  return <h1>Orders of {user.email}</h1>;
}
