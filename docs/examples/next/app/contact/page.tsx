'use client';

import '@tollgate/client/element';
import type {} from '@tollgate/client/react';
import { useActionState } from 'react';
import { send } from './actions';

export default function Contact() {
  const [refusal, action] = useActionState(send, {});
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
