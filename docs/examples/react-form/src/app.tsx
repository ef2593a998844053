// Shows the form, or who is signed in.
import { useSession } from '@tollgate/client/react';
import { createSession } from '@tollgate/client/session';
import { useEffect, useState } from 'react';
import { SignIn } from './sign-in';

const session = createSession();
// Without an answer the state says so, and the session asks again by itself.
session.resume().catch(() => {});

export function App() {
  const { status, reason } = useSession(session);
  if (status === 'unknown')
    return <p>{reason ? 'The server does not respond. Trying again …' : 'One moment …'}</p>;
  return status === 'signed-out' ? <SignIn session={session} /> : <Profile />;
}

function Profile() {
  const [email, setEmail] = useState('');
  useEffect(() => {
    session
      .fetch('/profile')
      .then((response) => response.json())
      .then((profile) => setEmail(profile.email))
      .catch(alert);
  }, []);
  return (
    <section>
      <h1>Signed in</h1>
      <p>You are {email}.</p>
      <button type="button" onClick={() => session.logout().catch(alert)}>
        Log out
      </button>
    </section>
  );
}
