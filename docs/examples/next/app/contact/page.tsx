'use client';

import type {} from '@tollgate/client/react';
import { useActionState, useEffect } from 'react';
import { send } from './actions';

export default function Contact() {
  const [refusal, action] = useActionState(send, {});
  // After hydration, because the element disables the button at once.
  useEffect(() => void import('@tollgate/client/element'), []);
  return (
    <form action={action}>
      <p role="alert">{refusal.message}</p>
      <p>
        <label>
          E-mail <input name="email" type="email" required defaultValue={refusal.email} />
        </label>
      </p>
      <p>
        <label>
          Your message <textarea name="text" required defaultValue={refusal.text} />
        </label>
      </p>
      <tollgate-challenge {...refusal.attributes} />
      <button type="submit">Send</button>
    </form>
  );
}
