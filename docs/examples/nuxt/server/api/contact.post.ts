import { createVerifier } from '@tollgate/verify';

export default defineEventHandler(async (event) => {
  // Not at module scope: at the edge, secrets exist only during a request.
  const { hostApiUrl, hostApiKey } = useRuntimeConfig(event);
  const verify = createVerifier({ hostApi: hostApiUrl, key: hostApiKey });
  const form = await readFormData(event).catch(() => new FormData());
  const verdict = await verify(form, { language: getHeader(event, 'accept-language') });
  if (verdict.outcome === 'unavailable') console.error(verdict.reason);
  const [email, text] = [String(form.get('email') ?? ''), String(form.get('text') ?? '')];
  const refuse = (status: number, body: { message: string }) => {
    setResponseStatus(event, status);
    return body;
  };
  if (verdict.ok === false) return refuse(verdict.status, verdict.body);
  if (text.length < 10) return refuse(422, { message: 'Please write at least 10 characters.' });
  await deliver({ email, text });
  return { message: '' };
});

/** Replace it with your own. */
async function deliver(message: { email: string; text: string }): Promise<void> {
  console.log('Delivered', JSON.stringify(message));
}
