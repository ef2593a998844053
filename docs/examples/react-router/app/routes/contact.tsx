import type {} from '@tollgate/client/react';
import { createVerifier } from '@tollgate/verify';
import { useEffect } from 'react';
import { data, Form, redirect } from 'react-router';
import type { Route } from './+types/contact';

export async function action({ request }: Route.ActionArgs) {
  const verify = createVerifier({ hostApi: process.env.HOST_API_URL, key: process.env.HOST_API_KEY });
  const form = await request.formData().catch(() => new FormData());
  const verdict = await verify(form, { language: request.headers.get('accept-language') });
  if (verdict.outcome === 'unavailable') console.error(verdict.reason);
  const { attributes } = verdict;
  const [email, text] = [String(form.get('email') ?? ''), String(form.get('text') ?? '')];
  const refuse = (status: number, message: string) => data({ message, email, text, attributes }, { status });
  if (verdict.ok === false) return refuse(verdict.status, verdict.body.message);
  if (text.length < 10) return refuse(422, 'Please write at least 10 characters.');
  await deliver({ email, text });
  return redirect('/thanks');
}

export default function Contact({ actionData }: Route.ComponentProps) {
  // After hydration, because the element disables the button at once.
  useEffect(() => void import('@tollgate/client/element'), []);
  return (
    <Form method="post">
      <p role="alert">{actionData?.message}</p>
      <p>
        <label>
          E-mail <input name="email" type="email" required defaultValue={actionData?.email} />
        </label>
      </p>
      <p>
        <label>
          Your message <textarea name="text" required defaultValue={actionData?.text} />
        </label>
      </p>
      <tollgate-challenge {...actionData?.attributes} />
      <button type="submit">Send</button>
    </Form>
  );
}

/** Replace it with your own. */
async function deliver(message: { email: string; text: string }): Promise<void> {
  console.log('Delivered', JSON.stringify(message));
}
