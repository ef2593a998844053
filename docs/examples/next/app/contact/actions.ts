'use server';

import { createVerifier, type ElementAttributes } from '@tollgate/verify';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';

export interface Refusal {
  readonly message?: string;
  readonly email?: string;
  readonly text?: string;
  readonly attributes?: ElementAttributes;
}

export async function send(_before: Refusal, form: FormData): Promise<Refusal> {
  // `next build` loads this module without the variables.
  const verify = createVerifier({ hostApi: process.env.HOST_API_URL, key: process.env.HOST_API_KEY });
  const verdict = await verify(form, { language: (await headers()).get('accept-language') });
  if (verdict.outcome === 'unavailable') console.error(verdict.reason);
  const { attributes } = verdict;
  const [email, text] = [String(form.get('email') ?? ''), String(form.get('text') ?? '')];
  if (verdict.ok === false) return { message: verdict.body.message, email, text, attributes };
  if (text.length < 10) return { message: 'Please write at least 10 characters.', email, text, attributes };
  await deliver({ email, text });
  redirect('/contact/thanks');
}

/** Replace it with your own. */
async function deliver(message: { email: string; text: string }): Promise<void> {
  console.log('Delivered', JSON.stringify(message));
}
