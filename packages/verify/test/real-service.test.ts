// Forms with the running challenge-service, over HTTP.

import { setTimeout as pause } from 'node:timers/promises';
import {
  type GuardedForms,
  SECRET,
  startFront,
  startGuardedForms,
} from '@tollgate/tests/examples/guarded-forms.js';
import { createVerifier } from '@tollgate/verify';
import t from 'tap';

const forms = await startGuardedForms(t);
const NAME = 'cf-turnstile-response';
const siteOptions = { siteverify: forms.siteverify, secret: SECRET };
const hostOptions = { hostApi: forms.hostApi, key: forms.hostKey };

t.test('siteverify: a receipt is accepted once', async (t) => {
  const verify = createVerifier({ ...siteOptions, site: 'shop' });
  const form = { [NAME]: await forms.receipt({ action: 'contact', cdata: 'order-1' }) };
  const request = () =>
    new Request('https://shop.example/contact', { method: 'POST', body: new URLSearchParams(form) });
  const first = request();
  t.match(await verify(first), {
    ok: true,
    outcome: 'accepted',
    hostname: 'shop.example',
    action: 'contact',
    cdata: 'order-1',
    challenge_ts: /^\d{4}-.*Z$/,
  });
  t.match(await first.text(), NAME);
  const spent = { ok: false, outcome: 'rejected', status: 422, code: 'timeout-or-duplicate' };
  t.match(await verify(request()), spent);
  for (const api of ['recaptcha', 'hcaptcha', 'turnstile']) {
    t.match(await verify({ [NAME]: await forms.receipt({ api, action: 'x' }) }), { ok: true }, api);
  }
});

t.test('siteverify: wrong, foreign and expired receipts are rejected', async (t) => {
  const verify = createVerifier(siteOptions);
  const invalid = { ok: false, outcome: 'rejected', code: 'invalid-input-response' };
  for (const text of ['forged', 'x'.repeat(2048), '__proto__'])
    t.match(await verify({ [NAME]: text }), invalid);
  const brief = createVerifier({ ...siteOptions, secret: `${SECRET}2` });
  const other = await forms.receipt({}, 'brief');
  t.match(await verify({ [NAME]: other }), invalid, 'of another site');
  t.match(await brief({ [NAME]: other }), { ok: true }, 'which spent nothing');
  const late = await forms.receipt({}, 'brief');
  await pause(2_100);
  t.match(await brief({ [NAME]: late }), { ok: false, outcome: 'rejected', code: 'timeout-or-duplicate' });
  const pay = createVerifier({ ...siteOptions, action: 'pay' });
  t.match(await pay({ [NAME]: await forms.receipt({ action: 'sign-up' }) }), { code: 'action-mismatch' });
  t.match(await pay({ [NAME]: await forms.receipt({ action: 'pay' }) }), { ok: true });
});

t.test('siteverify: a wrong secret or site is no fault of the visitor', async (t) => {
  const form = { [NAME]: await forms.receipt() };
  const stranger = createVerifier({ ...siteOptions, secret: 'x'.repeat(40) });
  t.match(await stranger(form), { outcome: 'unavailable', reason: /invalid-input-secret/ });
  const mistaken = createVerifier({ ...siteOptions, site: 'brief' });
  t.match(await mistaken(form), { outcome: 'unavailable', reason: /sitekey-secret-mismatch/ });
  const elsewhere = createVerifier({ ...siteOptions, siteverify: `${forms.siteverify}/nowhere` });
  t.match(await elsewhere(form), { outcome: 'unavailable', reason: /^status 404/ });
  t.match(await createVerifier(siteOptions)(form), { ok: true }, 'none of them spent the receipt');
});

t.test('host API: work is accepted once', async (t) => {
  const verify = createVerifier(hostOptions);
  const work = await forms.work();
  t.match(await verify({ text: 'Hello', ...work }), { ok: true, outcome: 'accepted', attributes: {} });
  t.match(await verify(new URLSearchParams(work)), {
    ok: false,
    outcome: 'rejected',
    status: 422,
    code: 'pow_invalid',
    body: { code: 'pow_invalid', message: String, captcha_required: false, errors: { pow_nonce: [String] } },
  });
  const wrong = { ...(await forms.work()), pow_nonce: 'x' };
  t.match(await verify(JSON.stringify(wrong)), { code: 'pow_invalid' });
  for (const nothing of [undefined, null, '', {}, '[', { pow_token: ['a'], pow_nonce: 5 }]) {
    t.match(await verify(nothing), { outcome: 'rejected', body: { errors: { pow_token: [String] } } });
  }
  t.match(await verify({ ...work, captcha: '\ud800\0'.repeat(1000), captcha_token: '\0'.repeat(2048) }), {
    outcome: 'rejected',
  });
  t.match(await verify({ pow_token: '\0'.repeat(2048), pow_nonce: '\0'.repeat(2048) }), {
    outcome: 'rejected',
    code: 'body_too_large',
  });
});

t.test('host API: messages come in the language of the visitor', async (t) => {
  const verify = createVerifier(hostOptions);
  const request = new Request('https://shop.example/', {
    method: 'POST',
    headers: { 'accept-language': 'fr' },
  });
  const french = { body: { errors: { pow_token: ['Ce champ est obligatoire.'] } } };
  t.match(await verify(request), french);
  t.match(await verify({}, { language: 'fr' }), french);
});

t.test('host API: failures of an account require an image, until a success', async (t) => {
  const verify = createVerifier(hostOptions);
  const context = { account: 'ann@example.com', ip: '203.0.113.7' };
  const attempt = async (scope?: string, more = {}) =>
    verify({ ...(await forms.work(scope)), ...more }, context);
  const first = await attempt();
  if (!first.ok) throw new Error(first.code);
  t.equal(first.failures, 1);
  t.match(first.next, { captcha_required: false, pow_scope: String });
  t.equal(first.attributes['pow-scope'], first.next.pow_scope);
  const scope = first.next.pow_scope;

  const second = await attempt(scope);
  if (!second.ok) throw new Error(second.code);
  t.match(second.next, { captcha_required: true, captcha_alternatives: ['effort'] });
  t.match(second.attributes, { 'captcha-required': '', 'captcha-alternatives': 'effort' });

  const third = await attempt(scope);
  t.match(third, {
    outcome: 'rejected',
    status: 422,
    code: 'captcha_required',
    body: { captcha_required: true, pow_scope: String },
    attributes: { 'captcha-required': '', 'captcha-alternatives': 'effort', 'pow-scope': String },
  });
  const withImage = await attempt(scope, await forms.image());
  if (!withImage.ok) throw new Error(withImage.code);
  t.equal(withImage.failures, 3);
  t.ok(await withImage.withdraw());
  const again = await attempt(scope, await forms.image());
  if (!again.ok) throw new Error(again.code);
  t.equal(again.failures, 3, 'the one before was withdrawn');
  t.ok(await again.succeeded());
  t.match(await attempt(), { ok: true, failures: 1 }, 'cheap again');
  t.match(await verify(await forms.work(), { account: 'x'.repeat(513) }), {
    outcome: 'rejected',
    code: 'validation_failed',
  });
  t.match(await verify(await forms.work(), { account: 'bob', count: false }), {
    ok: true,
    failures: undefined,
  });
});

t.test('host API: rules of the form', async (t) => {
  const strict = createVerifier({ ...hostOptions, rules: { image: 'required' } });
  t.match(await strict(await forms.work()), { outcome: 'rejected', code: 'captcha_invalid' });
  t.match(await strict({ ...(await forms.work()), ...(await forms.image()) }), { ok: true });
  const imageOnly = createVerifier({ ...hostOptions, rules: { pow: false, image: 'required' } });
  t.match(await imageOnly(await forms.image()), { ok: true });
  const wrong = createVerifier({ ...hostOptions, rules: { at_least: 99 } });
  t.match(await wrong(await forms.work()), { outcome: 'unavailable', reason: /^status 422: .*at_least/ });
  const stranger = createVerifier({ ...hostOptions, key: 'x'.repeat(32) });
  t.match(await stranger(await forms.work()), { outcome: 'unavailable', reason: /host_key_invalid/ });
});

t.test('a lost response costs neither the receipt nor the work', async (t) => {
  const site = await startFront(t, forms.siteverify);
  const verifySite = createVerifier({ ...siteOptions, siteverify: site.address(forms.siteverify) });
  site.loseNext();
  t.match(await verifySite({ [NAME]: await forms.receipt() }), { ok: true });
  const host = await startFront(t, forms.hostApi);
  const verifyHost = createVerifier({ ...hostOptions, hostApi: host.address(forms.hostApi) });
  host.loseNext();
  t.match(
    await verifyHost(await forms.work(), { account: 'lost@example.com' }),
    { ok: true, failures: 1 },
    'counted once',
  );
  for (const { bodies } of [site, host]) {
    t.equal(bodies.length, 2);
    t.equal(bodies[0], bodies[1]);
    t.match(bodies[0], /"idempotency_key":"[\w-]{36}"/);
  }
});

t.test('a slow service is unavailable, and within the time limit accepts', async (t) => {
  const front = await startFront(t, forms.siteverify);
  const siteverify = front.address(forms.siteverify);
  front.delay(2_000);
  const form = { [NAME]: await forms.receipt() };
  const start = performance.now();
  t.match(await createVerifier({ ...siteOptions, siteverify, timeout: 500 })(form), {
    ok: false,
    outcome: 'unavailable',
    status: 503,
    reason: /TimeoutError/,
  });
  t.ok(performance.now() - start < 1_500);
  front.delay(200);
  const patient = createVerifier({ ...siteOptions, siteverify, timeout: 20_000 });
  t.match(await patient({ [NAME]: await forms.receipt() }), { ok: true });
});

t.test('without the service nothing is accepted', async (t) => {
  await stopService(forms);
  const site = await createVerifier(siteOptions)({ [NAME]: 'receipt' });
  const host = await createVerifier(hostOptions)({ pow_token: 'x' });
  for (const verdict of [site, host]) {
    t.match(verdict, { ok: false, outcome: 'unavailable', status: 503, body: { code: 'unavailable' } });
  }
});

async function stopService({ processes }: GuardedForms): Promise<void> {
  await processes['challenge-service'].stop(10_000);
}
