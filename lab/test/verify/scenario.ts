// One visitor after the other at forms with `@tollgate/verify`, in any runtime: nothing here is Node's.

import { createVerifier, type FormInput, type HostApiVerdict, type SiteVerdict } from '@tollgate/verify';

/** Addresses, secrets, and solved challenges, each for one submission. */
export interface Question {
  readonly siteverify: string;
  readonly secret: string;
  readonly hostApi: string;
  readonly key: string;
  readonly receipts: readonly string[];
  readonly works: readonly Readonly<Record<string, string>>[];
  /** Where nothing listens. */
  readonly nowhere: string;
  /** Accepts requests and sends nothing. */
  readonly silent: string;
  /** Sends half of a response. */
  readonly stuck: string;
  /** Redirects to `siteverify`. */
  readonly moved: string;
  /** Passes on to `siteverify`, and loses the first response. */
  readonly losing: string;
}

/** Names of the steps and their outcomes. */
export type Outcomes = Readonly<Record<string, string>>;

const NAME = 'cf-turnstile-response';

export async function play(question: Question): Promise<Outcomes> {
  const { siteverify, secret, hostApi, key, nowhere, silent, stuck, moved, losing } = question;
  const receipts = question.receipts.values();
  const works = question.works.values();
  const verify = createVerifier({ siteverify, secret, timeout: 20_000 });
  const limited = (url: string) => createVerifier({ siteverify: url, secret, timeout: 600 });
  const form = () => new URLSearchParams({ name: 'Ann', [NAME]: receipts.next().value ?? '' });
  const post = (body: BodyInit, type?: string) =>
    new Request('https://shop.example/contact', {
      method: 'POST',
      body,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    });
  const json = () => JSON.stringify(Object.fromEntries(form()));
  const parts = () => {
    const data = new FormData();
    for (const [name, value] of form()) data.set(name, value);
    data.set('file', new Blob(['x']), 'x.txt');
    return data;
  };
  const outcomes: Record<string, string> = {};
  const note = (name: string, verdict: SiteVerdict | HostApiVerdict) => {
    outcomes[name] = verdict.ok ? verdict.outcome : `${verdict.outcome} ${verdict.code}`;
  };

  const first = post(form());
  const text = await first.clone().text();
  note('a request with a form', await verify(first));
  outcomes['the request is still readable'] = String((await first.text()) === text);
  note('a spent receipt', await verify(text));
  const inputs: Readonly<Record<string, FormInput>> = {
    'a request with a multipart form': post(parts()),
    'a request with JSON': post(json(), 'application/json'),
    FormData: parts(),
    URLSearchParams: form(),
    'an object': Object.fromEntries(form()),
    'a text': json(),
    nothing: undefined,
    'a malformed text': '{"',
    'a malformed multipart form': post('x', 'multipart/form-data; boundary=x'),
    'a forged receipt': { [NAME]: 'forged' },
  };
  for (const [name, input] of Object.entries(inputs)) note(name, await verify(input));
  note('a request that was read', await verify(first));

  const receipt = Object.fromEntries(form());
  note('a service that is away', await limited(nowhere)(receipt));
  note('a silent service', await limited(silent)(receipt));
  note('half a response', await limited(stuck)(receipt));
  note('a redirect', await limited(moved)(receipt));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const patient = createVerifier({ siteverify: silent, secret, timeout: 20_000 });
  note('a cancelled verification', await patient(receipt, { signal: controller.signal }));
  note('a lost response', await createVerifier({ siteverify: losing, secret, timeout: 20_000 })(receipt));

  const host = createVerifier({ hostApi, key, timeout: 20_000 });
  const work = works.next().value ?? {};
  const accepted = await host(work, { account: 'ann@example.com', ip: '203.0.113.7' });
  note('work', accepted);
  outcomes['a success'] = String(accepted.ok && (await accepted.withdraw()) && (await accepted.succeeded()));
  note('spent work', await host(work));
  return outcomes;
}
