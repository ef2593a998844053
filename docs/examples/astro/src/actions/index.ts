import { defineAction } from 'astro:actions';
import { getSecret } from 'astro:env/server';
import { createVerifier } from '@tollgate/verify';

export const server = {
  contact: defineAction({
    accept: 'form',
    handler: async (form: FormData, { request }) => {
      const verify = createVerifier({ hostApi: getSecret('HOST_API_URL'), key: getSecret('HOST_API_KEY') });
      const verdict = await verify(form, { language: request.headers.get('accept-language') });
      if (verdict.outcome === 'unavailable') console.error(verdict.reason);
      const { attributes } = verdict;
      const [email, text] = [String(form.get('email') ?? ''), String(form.get('text') ?? '')];
      const refuse = (status: number, message: string) => ({ status, message, email, text, attributes });
      if (verdict.ok === false) return refuse(verdict.status, verdict.body.message);
      if (text.length < 10) return refuse(422, 'Please write at least 10 characters.');
      await deliver({ email, text });
      return { status: 200 };
    },
  }),
};

/** Replace it with your own. */
async function deliver(message: { email: string; text: string }): Promise<void> {
  console.log('Delivered', JSON.stringify(message));
}
