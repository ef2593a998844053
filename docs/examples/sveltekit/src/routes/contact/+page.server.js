import { fail, redirect } from '@sveltejs/kit';
import { createVerifier } from '@tollgate/verify';
import { HOST_API_KEY, HOST_API_URL } from '$app/env/private';

export const actions = {
  default: async ({ request }) => {
    // Not at module scope: `vite build` loads this module without the variables.
    const verify = createVerifier({ hostApi: HOST_API_URL, key: HOST_API_KEY });
    const form = await request.formData().catch(() => new FormData());
    const verdict = await verify(form, { language: request.headers.get('accept-language') });
    if (verdict.outcome === 'unavailable') console.error(verdict.reason);
    const { attributes } = verdict;
    const [email, text] = [String(form.get('email') ?? ''), String(form.get('text') ?? '')];
    const refuse = (status, message) => fail(status, { message, email, text, attributes });
    if (verdict.ok === false) return refuse(verdict.status, verdict.body.message);
    if (text.length < 10) return refuse(422, 'Please write at least 10 characters.');
    await deliver({ email, text });
    redirect(303, '/thanks');
  },
};

/** Replace it with your own. */
async function deliver(message) {
  console.log('Delivered', JSON.stringify(message));
}
