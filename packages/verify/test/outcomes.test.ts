// The three outcomes, tries and time limits, with responses that the real service gives rarely.

import { createVerifier } from '@tollgate/verify';
import t from 'tap';
import { type FakeResponse, service } from './fake-service.js';

const KEY = 'the-key-of-this-application-0001';
const SECRET = 'the-secret-of-this-site-00000001';
const receipt = { 'cf-turnstile-response': 'receipt' };
const work = { pow_token: 'token', pow_nonce: '1' };

type Respond = Parameters<typeof service>[0];

function verifiers(respond: Respond, options = {}) {
  const { fetch, sent } = service(respond);
  const site = createVerifier({
    siteverify: 'https://gate.example/siteverify',
    secret: SECRET,
    fetch,
    ...options,
  });
  const host = createVerifier({ hostApi: 'http://127.0.0.1:9002', key: KEY, fetch, ...options });
  return { sent, verify: { site: () => site(receipt), host: () => host(work) } };
}
const modes = ['site', 'host'] as const;

t.test('only status 200 with `success: true` is accepted', async (t) => {
  const responses: FakeResponse[] = [
    ...[201, 202, 204, 206, 301, 302, 304, 400, 401, 404, 429, 500, 502, 503, 504].map((status) => ({
      status,
      json: { success: true },
    })),
    ...['true', 1, {}, [], null, 'yes'].map((success) => ({ json: { success } })),
    ...[
      '',
      'true',
      'null',
      '[]',
      '[{"success":true}]',
      '"success": true',
      '{"success":true',
      '<p>OK</p>',
    ].map((json) => ({
      json,
    })),
    { json: { ok: true, outcome: 'accepted' } },
  ];
  for (const mode of modes) {
    for (const response of responses) {
      const verdict = await verifiers(() => response, { retries: 0 }).verify[mode]();
      t.match(
        verdict,
        { ok: false, outcome: 'unavailable', status: 503, code: 'unavailable', reason: String },
        `${mode} ${JSON.stringify(response)}`,
      );
      t.match(verdict, { body: { code: 'unavailable', message: String }, attributes: {} });
    }
    t.match(await verifiers(() => ({ json: { success: true } })).verify[mode](), {
      ok: true,
      outcome: 'accepted',
    });
  }
});

t.test('a response cannot set the outcome', async (t) => {
  const json = {
    success: false,
    ok: true,
    outcome: 'accepted',
    status: 200,
    'error-codes': ['timeout-or-duplicate'],
  };
  const { verify } = verifiers(() => ({ json: { ...json, code: 'pow_invalid', message: 'No.' } }));
  t.match(await verify.site(), { ok: false, outcome: 'rejected', status: 422, code: 'timeout-or-duplicate' });
  t.match(await verify.host(), { ok: false, outcome: 'rejected', status: 422, code: 'pow_invalid' });
  const accepted = verifiers(() => ({ json: { ...json, success: true } }));
  t.match(await accepted.verify.site(), { ok: true, outcome: 'accepted' });
});

t.test('siteverify: faults of a visitor are rejected, those of an operator are unavailable', async (t) => {
  const table = {
    rejected: ['invalid-input-response', 'timeout-or-duplicate'],
    unavailable: [
      ...[
        'missing-input-secret',
        'invalid-input-secret',
        'sitekey-secret-mismatch',
        'bad-request',
        'internal-error',
      ],
      ...['missing-input-response', 'unknown', '', null, 5],
    ],
  };
  for (const [outcome, codes] of Object.entries(table)) {
    for (const code of codes) {
      const json = { success: false, 'error-codes': [code] };
      const verdict = await verifiers(() => ({ json }), { retries: 0 }).verify.site();
      t.match(verdict, { ok: false, outcome, ...(outcome === 'rejected' ? { code } : {}) }, String(code));
    }
  }
  for (const codes of [undefined, null, 5, {}, [], 'timeout-or-duplicate']) {
    const json = { success: false, 'error-codes': codes };
    t.match(await verifiers(() => ({ json })).verify.site(), { outcome: 'unavailable' }, String(codes));
  }
});

t.test('siteverify: a receipt of another action is rejected', async (t) => {
  for (const action of ['pay', '', undefined]) {
    const { verify } = verifiers(() => ({ json: { success: true, action } }), { action: 'sign-up' });
    t.match(await verify.site(), { ok: false, outcome: 'rejected', code: 'action-mismatch' }, String(action));
  }
  const { verify } = verifiers(() => ({ json: { success: true, action: 'sign-up' } }), { action: 'sign-up' });
  t.match(await verify.site(), { ok: true, action: 'sign-up' });
  const any = verifiers(() => ({ json: { success: true, action: 'pay' } }));
  t.match(await any.verify.site(), { ok: true, action: 'pay' }, 'a form without an action takes each');
});

t.test('host API: an account or a text that is too long is rejected, other mistakes are not', async (t) => {
  const failed = { message: 'Wrong.', code: 'validation_failed' };
  const tooLong = verifiers(() => ({ status: 422, json: { ...failed, errors: { key: ['Too long.'] } } }));
  t.match(await tooLong.verify.host(), {
    outcome: 'rejected',
    status: 422,
    code: 'validation_failed',
    body: { errors: { key: ['Too long.'] } },
  });
  const tooLarge = verifiers(() => ({
    status: 413,
    json: { message: 'Too large.', code: 'body_too_large' },
  }));
  t.match(await tooLarge.verify.host(), { outcome: 'rejected', status: 422, code: 'body_too_large' });
  const setting = verifiers(() => ({ status: 422, json: { ...failed, errors: { presets: ['Unknown.'] } } }));
  t.match(await setting.verify.host(), { outcome: 'unavailable', reason: /^status 422: .*presets/ });
  const key = verifiers(() => ({ status: 401, json: { message: 'No.', code: 'host_key_invalid' } }));
  t.match(await key.verify.host(), { outcome: 'unavailable', reason: /^status 401: .*host_key_invalid/ });
  t.equal(key.sent.length, 1, 'another try would not help');
  const closed = verifiers(() => ({ status: 499 }));
  t.match(await closed.verify.host(), { outcome: 'unavailable', reason: 'status 499: {}' });
  t.equal(closed.sent.length, 1, 'nor for any other status below 500');
});

t.test('requirements of the next attempt are a body and attributes', async (t) => {
  const next = { captcha_required: true, captcha_alternatives: ['effort', 'odd'], pow_scope: 'AQx3' };
  const attributes = { 'captcha-required': '', 'captcha-alternatives': 'effort odd', 'pow-scope': 'AQx3' };
  const refused = {
    success: false,
    message: 'No.',
    code: 'captcha_required',
    errors: { captcha: ['x'] },
    ...next,
  };
  const { success: _, ...body } = refused;
  t.strictSame(await verifiers(() => ({ json: refused })).verify.host(), {
    ok: false,
    outcome: 'rejected',
    status: 422,
    code: 'captcha_required',
    body,
    attributes,
  });
  t.match(
    await verifiers(() => ({ json: { success: true, failures: 2, try: 'id', ...next } })).verify.host(),
    {
      ok: true,
      failures: 2,
      next,
      attributes,
    },
  );
  const none = { success: false, message: 'No.', code: 'pow_invalid', captcha_required: false };
  t.match(await verifiers(() => ({ json: none })).verify.host(), {
    attributes: {},
    body: { captcha_required: false },
  });
  const wait = {
    success: false,
    message: 'Wait.',
    code: 'pass_exhausted',
    retry_after: 7,
    captcha_required: false,
  };
  t.match(await verifiers(() => ({ json: wait })).verify.host(), { outcome: 'rejected', status: 429 });
});

t.test('temporary failures are tried again with the same idempotency key', async (t) => {
  const failures: (FakeResponse | Error)[] = [
    new TypeError('fetch failed'),
    { status: 429 },
    { status: 500 },
    { status: 503, json: { code: 'store_unavailable' } },
    { json: '{"success":' },
    { json: { success: false, 'error-codes': ['internal-error'] } },
  ];
  for (const mode of modes) {
    for (const failure of failures) {
      const { verify, sent } = verifiers((at) => (at === 0 ? failure : { json: { success: true } }));
      t.match(await verify[mode](), { ok: true }, `${mode} ${JSON.stringify(failure)}`);
      t.equal(sent.length, 2);
      t.match(sent[0]?.body.idempotency_key, /^[\w-]{36}$/);
      t.strictSame(sent[1], sent[0]);
    }
    const { verify, sent } = verifiers(() => ({ status: 503 }), { retries: 2 });
    t.match(await verify[mode](), { outcome: 'unavailable', reason: 'status 503: {}' });
    await verify[mode]();
    t.equal(sent.length, 6);
    t.equal(new Set(sent.map(({ body }) => body.idempotency_key)).size, 2, 'each verification has its own');
  }
  const { verify, sent } = verifiers(() => ({ status: 503 }), { retries: 0 });
  await verify.site();
  t.equal(sent.length, 1);
});

t.test('no other try is made if Retry-After exceeds the time limit', async (t) => {
  const { verify, sent } = verifiers(() => ({ status: 429, headers: { 'retry-after': '30' } }));
  t.match(await verify.site(), { outcome: 'unavailable', retryAfter: 30 });
  t.equal(sent.length, 1);
  const soon = verifiers((at) =>
    at === 0 ? { status: 503, headers: { 'retry-after': '1' } } : { json: { success: true } },
  );
  const start = performance.now();
  t.match(await soon.verify.site(), { ok: true });
  t.ok(performance.now() - start >= 990);
  const odd = verifiers(() => ({ status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' } }));
  t.match(await odd.verify.site(), { outcome: 'unavailable', retryAfter: 0 });
  t.equal(odd.sent.length, 2);
});

t.test('the time limit holds for all tries together', async (t) => {
  for (const retries of [0, 1, 3]) {
    const { verify, sent } = verifiers((_, { signal }) => aborted(signal), { timeout: 400, retries });
    const start = performance.now();
    t.match(await verify.host(), { outcome: 'unavailable', reason: /TimeoutError/ });
    const took = performance.now() - start;
    // Timers of a busy machine are late: then the pause of 100 ms before another try may no longer fit.
    t.ok(took >= (sent.length > retries ? 390 : 290), `${took} ms`);
    t.ok(took < 2_000, `${took} ms`);
    t.ok(sent.length >= 1 && sent.length <= retries + 1);
  }
  for (const timeout of [0, -1, Number.NaN]) {
    t.match(await verifiers(() => ({ status: 503 }), { timeout }).verify.site(), { outcome: 'unavailable' });
  }
});

t.test('a try whose response is lost leaves time for another one', async (t) => {
  const { verify, sent } = verifiers(
    (at, { signal }) => (at === 0 ? aborted(signal) : { json: { success: true } }),
    { timeout: 1500 },
  );
  t.match(await verify.site(), { ok: true });
  t.equal(sent.length, 2);
});

t.test('a busy process whose pause outlasted the time limit tried with a negative one', async (t) => {
  const { verify } = verifiers(
    (at, { signal }) => {
      if (at > 0) return aborted(signal);
      setTimeout(() => {
        for (const start = performance.now(); performance.now() - start < 300; );
      }, 10);
      return { status: 503 };
    },
    { timeout: 250 },
  );
  t.match(await verify.site(), { outcome: 'unavailable', reason: /TimeoutError/ });
});

t.test('the caller cancels a verification', async (t) => {
  const { fetch } = service((_, { signal }) => aborted(signal));
  const verify = createVerifier({
    siteverify: 'https://gate.example/siteverify',
    secret: SECRET,
    fetch,
    timeout: 20_000,
  });
  const controller = new AbortController();
  const verdict = verify(receipt, { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  const start = performance.now();
  t.match(await verdict, { outcome: 'unavailable', reason: /AbortError/ });
  t.ok(performance.now() - start < 5_000);
  t.match(await verify(receipt, { signal: AbortSignal.abort() }), { outcome: 'unavailable' });
});

/** Rejects once the signal is aborted. */
function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    // Unlike a connection, a time limit alone does not keep Node running.
    const running = setInterval(() => {}, 1000);
    const end = () => {
      clearInterval(running);
      reject(signal?.reason);
    };
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end);
  });
}

t.test('success and withdrawal of a counted attempt', async (t) => {
  const respond: Respond = (at) =>
    at === 0 ? { json: { success: true, failures: 1, try: 'id' } } : { status: 204 };
  const { fetch, sent } = service(respond);
  const verify = createVerifier({ hostApi: 'http://127.0.0.1:9002', key: KEY, fetch });
  const verdict = await verify(work, { account: 'ann', ip: '203.0.113.7' });
  if (!verdict.ok) throw new Error(verdict.code);
  t.ok(await verdict.withdraw());
  t.ok(await verdict.succeeded());
  t.strictSame(
    sent.slice(1).map(({ method, url, body }) => [method, url, body]),
    [
      ['DELETE', 'http://127.0.0.1:9002/host/failures', { key: 'ann', try: 'id' }],
      ['DELETE', 'http://127.0.0.1:9002/host/failures', { key: 'ann', ip: '203.0.113.7' }],
    ],
  );
  const without = service(() => ({ json: { success: true } }));
  const anonymous = await createVerifier({ hostApi: 'http://x', key: KEY, fetch: without.fetch })(work);
  t.ok(anonymous.ok && (await anonymous.succeeded()) && (await anonymous.withdraw()));
  t.equal(without.sent.length, 1, 'nothing to forget');
  const uncounted = service(() => ({ json: { success: true } }));
  const open = await createVerifier({ hostApi: 'http://x', key: KEY, fetch: uncounted.fetch })(work, {
    account: 'ann',
    count: false,
  });
  t.ok(open.ok && (await open.withdraw()));
  t.equal(uncounted.sent.length, 1, 'no attempt was counted');
  const failing = service((at) =>
    at === 0 ? { json: { success: true, failures: 1, try: 'id' } } : { status: 503 },
  );
  const lost = await createVerifier({ hostApi: 'http://x', key: KEY, fetch: failing.fetch })(work, {
    account: 'ann',
  });
  t.ok(lost.ok);
  if (lost.ok) t.strictSame([await lost.succeeded(), await lost.withdraw()], [false, false]);
});

t.test('mistakes of the options are thrown at once, without the secret', async (t) => {
  const siteverify = 'https://gate.example/siteverify';
  const hostApi = 'http://127.0.0.1:9002';
  for (const secret of [undefined, '', 'a b', 'line\n', 'é', null as never]) {
    const error = new TypeError('Invalid secret');
    t.throws(() => createVerifier({ siteverify, secret }), error, String(secret));
    t.throws(() => createVerifier({ hostApi, key: secret }), new TypeError('Invalid key'));
  }
  for (const url of [
    undefined,
    '',
    'gate.example',
    'see https://gate.example/',
    'xhttps://gate.example/',
    'file:///x',
    'https://user:password@gate.example/',
    'http: x',
  ]) {
    t.throws(
      () => createVerifier({ siteverify: url, secret: SECRET }),
      new TypeError('Invalid siteverify'),
      `${url}`,
    );
    t.throws(() => createVerifier({ hostApi: url, key: KEY }), new TypeError('Invalid hostApi'));
  }
  t.throws(() => createVerifier({} as never), new TypeError('Invalid hostApi'));
  t.ok(createVerifier({ siteverify: new URL(siteverify), secret: SECRET }));
});

t.test('no reason contains a secret', async (t) => {
  const refused = new TypeError('fetch failed');
  for (const respond of [
    () => refused,
    () => ({ status: 500 }),
    () => ({ json: 'x'.repeat(5000) }),
  ] as Respond[]) {
    for (const mode of modes) {
      const verdict = await verifiers(respond, { retries: 0 }).verify[mode]();
      t.notMatch(JSON.stringify(verdict), new RegExp(`${KEY}|${SECRET}`));
      t.ok(JSON.stringify(verdict).length < 600);
    }
  }
});
