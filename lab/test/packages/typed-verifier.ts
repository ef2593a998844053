// Forms with `@tollgate/verify` in strict TypeScript. Compiled, and run by packages.test.ts: each mistake is one that the
// compiler must find.

import {
  createVerifier,
  type FormInput,
  type HostApiVerdict,
  type HostVerifier,
  type SiteVerdict,
  type SiteVerifier,
} from '@tollgate/verify';

interface Contact {
  text: string;
  pow_token?: string;
}

const unanswered = async () => new Response('', { status: 503 });
const site: SiteVerifier = createVerifier({
  siteverify: new URL('https://gate.example/api/captcha/siteverify'),
  secret: 'secret',
  action: 'contact',
  fetch: unanswered,
});
const host: HostVerifier = createVerifier({
  hostApi: 'http://127.0.0.1:9002',
  key: 'key',
  rules: { image: 'required', presets: ['effort'], algorithms: ['sha256'] },
  fetch: unanswered,
  timeout: 1000,
  retries: 0,
});

const contact: Contact = { text: 'Hello' };
const inputs: FormInput[] = [
  contact,
  new Request('https://shop.example/', { method: 'POST', body: 'a=b' }),
  new FormData(),
  new URLSearchParams(),
  '{"text":"Hello"}',
  null,
  undefined,
];

/** The three outcomes; the compiler knows that there is no other. */
function describe(verdict: SiteVerdict | HostApiVerdict): string {
  switch (verdict.outcome) {
    case 'accepted':
      return 'accepted';
    case 'rejected':
      return `${verdict.status} ${verdict.code}`;
    case 'unavailable':
      return `${verdict.status} ${verdict.reason}`;
    default:
      return verdict satisfies never;
  }
}

for (const input of inputs) {
  const verdict = await site(input, { ip: null, signal: AbortSignal.timeout(5000) });
  // @ts-expect-error only an accepted verdict has facts
  verdict.hostname;
  // @ts-expect-error only a refusal has a body
  verdict.body;
  if (verdict.ok) {
    const hostname: string | undefined = verdict.hostname;
    // @ts-expect-error an accepted verdict has no code
    console.log(hostname, verdict.code);
  } else {
    // @ts-expect-error only an unavailable verdict has a reason
    verdict.reason;
    const { body, status } = verdict;
    Response.json(body, { status });
    if (verdict.code === 'timeout-or-duplicate') console.log(verdict.status);
    // @ts-expect-error no such code
    if (verdict.code === 'timeout') console.log(verdict.status);
  }
  console.log(describe(verdict));
}

const attempt = await host(contact, { account: 'ann@example.com', ip: undefined });
if (attempt.ok) {
  const failures: number | undefined = attempt.failures;
  const required: boolean = attempt.next.captcha_required;
  console.log(failures, required, await attempt.succeeded());
} else if (attempt.outcome === 'unavailable') {
  console.log(attempt.reason, attempt.attributes['pow-scope']);
}

// @ts-expect-error a promise is no verdict
if (host(contact).ok) console.log('accepted');
// @ts-expect-error an account needs the host API
void site(contact, { account: 'ann@example.com' });
// @ts-expect-error both modes at once
createVerifier({ siteverify: 'https://gate.example/', key: 'key' });
// @ts-expect-error no such rule
createVerifier({ hostApi: 'http://127.0.0.1:9002', key: 'key', rules: { images: true } });
