// Each form in which a framework has a submission, and malformed ones.

import { createVerifier } from '@tollgate/verify';
import t from 'tap';
import { type Sent, service } from './fake-service.js';

const RECEIPT = 'a-receipt.0123';
const NAME = 'cf-turnstile-response';

const form = () => {
  const data = new FormData();
  data.set(NAME, RECEIPT);
  data.set('file', new Blob(['x']), 'x.txt');
  return data;
};
const fields = new URLSearchParams({ name: 'Ann', [NAME]: RECEIPT });
const post = (body: BodyInit, type?: string) =>
  new Request('https://shop.example/contact', {
    method: 'POST',
    body,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });
const json = JSON.stringify({ name: 'Ann', [NAME]: RECEIPT });

/** The receipt that a verifier sends for an input; undefined if it sends nothing. */
async function receiptOf(
  input: Parameters<ReturnType<typeof siteVerifier>['verify']>[0],
  fields?: readonly string[],
) {
  const { verify, sent } = siteVerifier(fields);
  const verdict = await verify(input);
  return { verdict, receipt: sent[0]?.body.response };
}

function siteVerifier(fields?: readonly string[]) {
  const { fetch, sent } = service(() => ({ json: { success: true, hostname: 'shop.example' } }));
  const verify = createVerifier({
    siteverify: 'https://gate.example/siteverify',
    secret: 'secret',
    fields,
    fetch,
  });
  return { verify, sent };
}

t.test('every form of a submission has the same fields', async (t) => {
  const inputs = {
    'a request with a form': post(fields),
    'a request with a multipart form': post(form()),
    'a request with JSON': post(json, 'application/json; charset=utf-8'),
    'a request with a text': post(json),
    'a request with a form as a text': post(String(fields), 'text/plain'),
    'a request whose type names multipart elsewhere': post(
      String(fields),
      'text/plain; x=multipart/form-data',
    ),
    FormData: form(),
    URLSearchParams: fields,
    'an object': { name: 'Ann', [NAME]: RECEIPT },
    'an object without a prototype': Object.assign(Object.create(null), { [NAME]: RECEIPT }),
    'an object of a class': new (class {
      [NAME] = RECEIPT;
    })(),
    'a form as a text': String(fields),
    'JSON as a text': json,
    'JSON with a byte order mark': `\ufeff ${json}\n`,
    'the field of hCaptcha, and an empty one': { 'h-captcha-response': RECEIPT, [NAME]: '' },
    'the field of reCAPTCHA': { 'g-recaptcha-response': RECEIPT },
  };
  for (const [name, input] of Object.entries(inputs)) {
    const { verdict, receipt } = await receiptOf(input);
    t.match(verdict, { ok: true, outcome: 'accepted', hostname: 'shop.example' }, name);
    t.equal(receipt, RECEIPT, name);
  }
  t.equal(
    (await receiptOf({ mine: RECEIPT, [NAME]: 'other' }, ['mine'])).receipt,
    RECEIPT,
    'a field of its own',
  );
  t.equal((await receiptOf({ [NAME]: RECEIPT }, ['mine'])).receipt, undefined);
  const longest = 'x'.repeat(2048);
  t.equal((await receiptOf({ [NAME]: longest })).receipt, longest);
});

t.test('the application can still read its request', async (t) => {
  for (const request of [post(fields), post(form()), post(json, 'application/json')]) {
    const { verdict } = await receiptOf(request);
    t.ok(verdict.ok);
    t.notOk(request.bodyUsed);
    t.match(await request.text(), RECEIPT);
  }
});

t.test('a request that was read before is no fault of the visitor', async (t) => {
  const read = post(fields);
  await read.text();
  const locked = post(fields);
  locked.body?.getReader();
  for (const request of [read, locked]) {
    const { verdict, receipt } = await receiptOf(request);
    t.match(verdict, { ok: false, outcome: 'unavailable', status: 503, reason: /already read/ });
    t.equal(receipt, undefined);
  }
});

t.test('malformed submissions are rejected without a request', async (t) => {
  const twice = new URLSearchParams([
    [NAME, RECEIPT],
    [NAME, RECEIPT],
  ]);
  const file = new FormData();
  file.set(NAME, new Blob([RECEIPT]), 'x.txt');
  const inherited = Object.create({ [NAME]: RECEIPT });
  const broken = new ReadableStream({
    start(controller) {
      controller.error(new Error('the visitor is gone'));
    },
  });
  const inputs: unknown[] = [
    ...[
      undefined,
      null,
      '',
      ' ',
      '{',
      '{"',
      '[]',
      'null',
      '{}',
      '\0',
      5,
      true,
      Symbol('x'),
      [],
      [RECEIPT],
      () => RECEIPT,
    ],
    ...[{}, new Map([[NAME, RECEIPT]]), inherited, { getAll: 1 }],
    ...[twice, file, String(twice), `{"__proto__":{"${NAME}":"${RECEIPT}"}}`],
    ...[5, null, true, {}, [RECEIPT], '', ' ', 'a b', 'a\nb', 'é', '\ud800', 'x'.repeat(2049)].map(
      (value) => ({ [NAME]: value }),
    ),
    post('', 'text/plain'),
    post('{', 'application/json'),
    post('no multipart', 'multipart/form-data; boundary=x'),
    post('no boundary', 'multipart/form-data'),
    new Request('https://shop.example/contact'),
    new Request('https://shop.example/contact', {
      method: 'POST',
      body: broken,
      duplex: 'half',
    } as RequestInit),
    `${'['.repeat(100_000)}`,
    `{"a":${'['.repeat(100_000)}`,
  ];
  for (const [at, input] of inputs.entries()) {
    const { verdict, receipt } = await receiptOf(input as object);
    t.match(
      verdict,
      {
        ok: false,
        outcome: 'rejected',
        status: 422,
        code: 'missing-input-response',
        body: { message: String },
      },
      String(at),
    );
    t.equal(receipt, undefined, String(at));
  }
  t.equal((await receiptOf('{', ['0'])).receipt, undefined, 'a character of a text is no field');
});

t.test('an object that throws is no fault of the visitor, and the verifier does not throw', async (t) => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('get');
      },
      getOwnPropertyDescriptor: () => {
        throw new Error('descriptor');
      },
    },
  );
  const getter = Object.defineProperty({}, NAME, {
    enumerable: true,
    get: () => {
      throw new Error('getter');
    },
  });
  const throwing = {
    getAll: () => {
      throw new Error('getAll');
    },
  };
  for (const input of [hostile, getter, throwing, { getAll: () => 5 }]) {
    const { verdict, receipt } = await receiptOf(input);
    t.match(verdict, { ok: false, outcome: 'unavailable', status: 503, reason: /Error/ });
    t.equal(receipt, undefined);
  }
});

t.test('the host API gets the challenge fields alone, and judges malformed ones itself', async (t) => {
  const sent: Sent[] = [];
  const requirements = { captcha_required: false };
  const { fetch } = service(() => ({ json: { success: true, ...requirements } }), sent);
  const verify = createVerifier({ hostApi: 'http://127.0.0.1:9002//', key: 'key', fetch });
  const work = { pow_token: 'token', pow_nonce: '17', captcha_token: '', captcha: 'é\ud800' };
  for (const input of [work, JSON.stringify(work)]) {
    t.match(await verify(input), { ok: true, next: requirements, attributes: {} });
  }
  t.ok((await verify({ ...work, password: 'secret', count: false, pow: false, captcha: ['a', 'b'] })).ok);
  t.ok((await verify(null)).ok, 'the service decides');
  const none = { pow_token: '', pow_nonce: '', captcha_token: '', captcha: '' };
  t.strictSame(
    sent.map(({ body }) => body.submission),
    [work, work, { ...work, captcha: '' }, none],
  );
  for (const { url, body } of sent) {
    t.equal(url, 'http://127.0.0.1:9002/host/verify');
    t.strictSame(Object.keys(body).sort(), ['count', 'idempotency_key', 'submission']);
    t.equal(body.count, false);
  }
  const renamed = createVerifier({ hostApi: 'http://127.0.0.1:9002', key: 'key', fetch, fields: ['work'] });
  await renamed({ work: 'x', pow_token: 'y' });
  t.strictSame(sent.at(-1)?.body.submission, { work: 'x' });
});

t.test('language and pass of a request are passed on', async (t) => {
  const { fetch, sent } = service(() => ({ json: { success: true } }));
  const verify = createVerifier({ hostApi: 'http://127.0.0.1:9002', key: 'key', fetch });
  const headers = { 'accept-language': 'fr, en;q=0.5', 'captcha-pass': 'a-pass' };
  await verify(new Request('https://shop.example/', { method: 'POST', headers, body: fields }));
  await verify({}, { language: 'de', pass: 'other', ip: '203.0.113.7', account: 'ann' });
  await verify({}, { ip: '' });
  await verify({}, { account: 'ann', count: false });
  t.strictSame(
    sent.map(({ headers, body }) => [
      headers['accept-language'],
      body.captcha_pass,
      body.ip,
      body.key,
      body.count,
    ]),
    [
      ['fr, en;q=0.5', 'a-pass', undefined, undefined, false],
      ['de', 'other', '203.0.113.7', 'ann', true],
      [undefined, undefined, undefined, undefined, false],
      [undefined, undefined, undefined, 'ann', false],
    ],
  );
});

t.test('the address of a visitor is passed on with a receipt', async (t) => {
  const { verify, sent } = siteVerifier();
  for (const context of [{ ip: '203.0.113.7' }, { ip: '' }, { ip: null }, {}]) {
    await verify({ [NAME]: RECEIPT }, context);
  }
  t.strictSame(
    sent.map(({ body }) => body.remoteip),
    ['203.0.113.7', undefined, undefined, undefined],
  );
});
