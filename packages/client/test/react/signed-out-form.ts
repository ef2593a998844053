// Component for server rendering and hydration.
import { useChallenge, useSession } from '@tollgate/client/react';
import type { Session } from '@tollgate/client/session';
import { createElement } from 'react';

export function SignedOutForm({ session }: { session: Session | null }) {
  const { status, captcha } = useChallenge().state;
  return createElement('p', null, `${useSession(session).status} ${status} ${captcha}`);
}
