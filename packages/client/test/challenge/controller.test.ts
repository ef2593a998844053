// A controller from start to close: pauses, listeners, failed requests, expiry. Tested against the real services.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChallengeController, createChallenge } from '@tollgate/client/challenge';
import t, { type Test } from 'tap';
import { startRealService } from './real-service.js';

const ada = 'ada@example.com';
const service = await startRealService(t, {}, [ada]);

/** Resolves with the first matching state. @throws the error of the form if it waits instead */
function until(challenge: ChallengeController, isSo: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    if (isSo()) return resolve();
    const end = challenge.subscribe(() => {
      const isStuck = challenge.status === 'error';
      if (!isSo() && !isStuck) return;
      end();
      if (isSo()) resolve();
      else reject(challenge.state.error);
    });
  });
}

/** Resolves when the form is ready. On a busy machine a challenge may expire before: then another one is requested. */
async function getReady(challenge: ChallengeController, requested: unknown[]): Promise<void> {
  for (;;) {
    await until(challenge, () => challenge.status !== 'solving');
    if (challenge.status === 'ready') return;
    if (challenge.state.error !== null) throw challenge.state.error;
    requested.length = 0;
    await challenge.refresh();
  }
}

/** A proxy that breaks connections until it is repaired, then forwards to the service. */
async function breakable(t: Test, target: string) {
  let requests = 0;
  let isBroken = true;
  const server = createServer((request, response) => {
    requests += 1;
    if (isBroken) request.socket.destroy();
    else response.writeHead(307, { Location: target + request.url }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    mend() {
      isBroken = false;
    },
  };
}
const strict = await startRealService(t, { RATE_LIMIT_POW: '1', RATE_LIMIT_ISSUE: '1' });
const hard = await startRealService(t, {
  CAPTCHA_POW_DIFFICULTY: '20',
  CAPTCHA_POW_MAX_DIFFICULTY: '20',
  CAPTCHA_EFFORT_ENABLED: 'false',
});
// Long enough for a slow machine to solve a challenge before it expires.
const brief = await startRealService(t, { CAPTCHA_POW_EXPIRE: '4', CAPTCHA_CACHE_EXPIRE: '4' });

t.beforeEach(() => {
  for (const { requested } of [service, strict, hard, brief]) requested.length = 0;
});

t.test('paused, it fetches nothing; resumed, it fetches what is missing', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address });
  t.teardown(challenge.close);
  challenge.pause();
  t.equal(challenge.status, 'idle', 'the current task is aborted');
  service.requested.length = 0;
  challenge.touch();
  challenge.setAnswer('typed');
  await challenge.refresh();
  t.equal(await challenge.settle({ code: 'pow_insufficient', captcha_required: true }), false);
  await challenge.newImage();
  await challenge.chooseAlternative('effort');
  t.equal(challenge.status, 'idle');
  t.same(service.requested, []);
  challenge.resume();
  t.equal(challenge.status, 'solving');
  await challenge.refresh();
  t.equal(challenge.status, 'ready');
  t.same(service.requested, ['', '/pow'], 'for the requirements of the error response');
  challenge.close();
  challenge.resume();
  t.equal(challenge.status, 'idle');
});

t.test('paused, it still fetches challenges for a waiting submission, and nothing afterwards', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address, autoStart: false });
  t.teardown(challenge.close);
  challenge.pause();
  t.equal((await challenge.submit(service.signIn(ada))).status, 200);
  t.equal(challenge.status, 'idle');
  t.same(service.requested, ['/pow']);
});

t.test(
  'a submission is in flight from the first wait to the last response, including its repetition',
  async (t) => {
    const challenge = createChallenge({ baseUrl: service.address });
    t.teardown(challenge.close);
    t.equal(challenge.isSubmitting, false);
    // From another address, so that the service has no price for our address and the account yet.
    await challenge.submit(service.signIn(ada, 'wrong', '198.51.100.7'));
    t.equal(challenge.isSubmitting, false);
    const other = createChallenge({ baseUrl: service.address });
    t.teardown(other.close);
    const seen: boolean[] = [];
    const sent: number[] = [];
    const submission = other.submit(async (fields) => {
      const response = await service.signIn(ada, 'wrong')(fields);
      sent.push(response.status);
      return response;
    });
    const end = other.subscribe(() => seen.push(other.isSubmitting));
    await submission;
    end();
    t.same(sent, [422, 422]);
    t.ok(seen.length > 0 && seen.every((isSubmitting) => isSubmitting));
    t.equal(other.isSubmitting, false);

    await other.refresh();
    t.equal(other.isSubmitting, false);
  },
);

t.test('a submission is in flight from take until settle', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address });
  t.teardown(challenge.close);
  await challenge.take();
  t.equal(challenge.isSubmitting, true);
  await challenge.settle(null);
  t.equal(challenge.isSubmitting, false);
});

t.test('a listener that throws stops neither the form nor the other listeners', async (t) => {
  const thrown: unknown[] = [];
  const [failing] = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error));
  const challenge = createChallenge({ baseUrl: service.address, autoStart: false });
  t.teardown(challenge.close);
  challenge.subscribe(() => {
    throw new Error('a mistake of the page');
  });
  const seen: string[] = [];
  challenge.subscribe(() => seen.push(challenge.status));

  await challenge.refresh();
  t.equal(challenge.status, 'ready');
  t.equal(challenge.state.error, null);
  t.same(Object.keys(await challenge.take()), ['pow_token', 'pow_nonce']);
  const response = await challenge.submit(async () => Response.json({}));
  t.equal(response.status, 200);
  challenge.close();
  // The error of the last listener is reported first.
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  if (failing) process.on('uncaughtException', failing);
  t.ok(seen.includes('solving') && seen.includes('ready'), 'the other one was notified');
  t.match(thrown[0], { message: 'a mistake of the page' }, 'and the error is reported');
});

t.test('after a 429 it waits for Retry-After, regardless of user activity', async (t) => {
  const { address, requested } = strict;
  const challenge = createChallenge({ baseUrl: address });
  t.teardown(challenge.close);
  await challenge.take();
  await challenge.settle(null);
  await until(challenge, () => challenge.status === 'error');
  const { error, retryAtMs } = challenge.state;
  t.match(error, { name: 'CaptchaRequestError', isRateLimited: true, status: 429 });
  const waitMs = (retryAtMs ?? 0) - Date.now();
  t.ok(waitMs > 0 && waitMs <= 60_000);

  const before = requested.length;
  await t.rejects(challenge.take(), error as Error);
  await t.rejects(
    challenge.submit(async () => Response.json({})),
    error as Error,
  );
  challenge.touch();
  await challenge.refresh();
  await challenge.settle({ code: 'login_failed' });
  t.equal(requested.length, before, 'nothing was requested');
  t.match(challenge.state, { status: 'error', error, retryAtMs });
});

t.test('after a network failure it retries only on request', async (t) => {
  const way = await breakable(t, service.address);
  const challenge = createChallenge({ baseUrl: way.baseUrl });
  t.teardown(challenge.close);
  await until(challenge, () => challenge.status === 'error');
  t.match(challenge.state, { error: { name: 'TypeError' }, retryAtMs: null });
  for (const _ of [1, 2, 3]) challenge.touch();
  t.equal(challenge.status, 'error', 'key strokes do not repeat it at once');
  t.equal(way.requests(), 1);
  await challenge.refresh();
  t.equal(way.requests(), 2);
  t.equal(challenge.status, 'error');
  await t.rejects(challenge.take(), { name: 'TypeError' });
  t.equal(way.requests(), 3);
  way.mend();
  t.same(Object.keys(await challenge.take()), ['pow_token', 'pow_nonce']);
  t.equal(challenge.state.error, null);
});

t.test('a search that gives up is an error, and no touch retries it', async (t) => {
  const { address, requested } = hard;
  const challenge = createChallenge({ baseUrl: address, maxHashes: 5 });
  t.teardown(challenge.close);
  await until(challenge, () => challenge.status === 'error');
  t.match(challenge.state, { error: { name: 'PowGaveUpError' }, work: { difficulty: 20 } });
  challenge.touch();
  t.equal(challenge.status, 'error');
  t.same(requested, ['/pow']);
  await t.rejects(challenge.take(), { name: 'PowGaveUpError' });
});

t.test('with effort disabled, the image stays the only option', async (t) => {
  const { address, requested } = hard;
  const challenge = createChallenge({ baseUrl: address, image: 'always', pow: false });
  t.teardown(challenge.close);
  await challenge.refresh();
  t.same(challenge.state.alternatives, ['effort']);
  await challenge.chooseAlternative('effort');
  t.match(challenge.state, { status: 'ready', captcha: { kind: 'image' }, error: null });
  t.same(challenge.state.alternatives, []);
  t.same(requested, ['', '?preset=effort', '']);
});

t.test('a failed fetch of a new image keeps the old one', async (t) => {
  const { address, answer } = strict;
  const challenge = createChallenge({ baseUrl: address, image: 'always', pow: false });
  t.teardown(challenge.close);
  await challenge.refresh();
  const { captcha } = challenge.state;
  challenge.setAnswer(answer());
  await challenge.newImage();
  t.match(challenge.state, { status: 'ready', error: { isRateLimited: true } });
  t.same(challenge.state.captcha, captcha);
  t.equal(challenge.fields.captcha, answer(), 'the typed answer stays');
  await challenge.newImage();
  t.equal(challenge.status, 'ready');
});

t.test('concurrent calls wait for the same challenges, and each set is returned once', async (t) => {
  service.requested.length = 0;
  const challenge = createChallenge({ baseUrl: service.address, autoStart: false });
  t.teardown(challenge.close);
  t.equal(challenge.status, 'idle');
  await Promise.all([challenge.refresh(), challenge.refresh(), challenge.refresh()]);
  t.same(service.requested, ['/pow']);
  const [first, second] = await Promise.all([challenge.take(), challenge.take()]);
  t.not(first?.pow_token, second?.pow_token);
  t.same(service.requested, ['/pow', '/pow']);
  await challenge.refresh();
  const { pow_token } = challenge.fields;
  await challenge.refresh();
  t.not(challenge.fields.pow_token, pow_token, 'when ready it makes new ones');
});

t.test('a new image does not discard the current work', async (t) => {
  const { address, requested } = hard;
  const challenge = createChallenge({ baseUrl: address, image: 'always' });
  t.teardown(challenge.close);
  await until(challenge, () => challenge.state.work !== null);
  await challenge.newImage();
  t.equal(challenge.status, 'ready');
  t.same(requested, ['', '/pow', ''], 'the work on the challenge continues');
});

t.test('repeated requests for a new image fetch one', async (t) => {
  const challenge = createChallenge({ baseUrl: service.address, image: 'always', pow: false });
  t.teardown(challenge.close);
  await challenge.refresh();
  const { captcha } = challenge.state;
  const fetched = t.capture(globalThis, 'fetch', globalThis.fetch);
  await Promise.all([challenge.newImage(), challenge.newImage(), challenge.newImage()]);
  t.match(challenge.state, { status: 'ready', captcha: { kind: 'image' }, error: null });
  t.notSame(challenge.state.captcha, captcha);
  t.equal(fetched().length, 1);
});

t.test('a closed controller has no fields and starts nothing', async (t) => {
  const controller = new AbortController();
  const challenge = createChallenge({ baseUrl: service.address, signal: controller.signal });
  const waiting = challenge.take();
  let calls = 0;
  challenge.subscribe(() => {
    calls += 1;
  });
  controller.abort();
  await t.rejects(waiting, { name: 'AbortError' });
  t.match(challenge.state, { status: 'idle', captcha: null, error: null, retryAtMs: null });
  t.same(challenge.fields, {});
  t.equal(calls, 1);
  challenge.touch();
  challenge.setAnswer('x');
  await challenge.refresh();
  await challenge.newImage();
  t.equal(await challenge.settle({ code: 'pow_insufficient' }), false);
  await t.rejects(challenge.take(), { name: 'AbortError' });
  challenge.close();
  t.match(challenge.state, { status: 'idle' });
  const aborted = createChallenge({ baseUrl: service.address, signal: controller.signal });
  t.equal(aborted.status, 'idle');
});

t.test('expired work is not returned', async (t) => {
  const { address, requested } = brief;
  const challenge = createChallenge({ baseUrl: address });
  t.teardown(challenge.close);
  await getReady(challenge, requested);
  await until(challenge, () => challenge.status === 'idle');
  t.same(challenge.fields, {});
  t.same(requested, ['/pow'], 'the form is not in use: it is not renewed');
  requested.length = 0;
  challenge.touch();
  await getReady(challenge, requested);
  t.same(requested, ['/pow'], 'the form is in use: it is fetched');
  await until(challenge, () => challenge.status === 'solving');
  t.pass('and renewed automatically');
});

t.test('each of many forms detects the expiry of its work', async (t) => {
  // A timer may fire slightly early, so that the next two clock readings lie before and after the expiry.
  const forms = Array.from({ length: 150 }, () => createChallenge({ baseUrl: brief.address }));
  t.teardown(() => {
    for (const form of forms) form.close();
  });
  await Promise.all(forms.map((form) => getReady(form, [])));
  await Promise.all(forms.map((form) => until(form, () => form.status === 'idle')));
  t.ok(forms.every(({ fields }) => Object.keys(fields).length === 0));
});

t.test('an expired image stays visible and is marked; a new one is only fetched on request', async (t) => {
  const { address, answer, requested } = brief;
  const challenge = createChallenge({ baseUrl: address, image: 'always', pow: false });
  t.teardown(challenge.close);
  await getReady(challenge, requested);
  challenge.setAnswer(answer());
  const { captcha } = challenge.state;
  await until(challenge, () => challenge.status === 'idle');
  t.same(challenge.state.captcha, { ...captcha, expired: true });
  t.same(challenge.fields, {});
  challenge.touch();
  await t.rejects(challenge.take(), { name: 'CaptchaUnansweredError', expired: true });
  t.same(requested, ['']);
  await challenge.newImage();
  t.match(challenge.state, { status: 'ready', captcha: { expired: false } });
  await t.rejects(challenge.take(), { name: 'CaptchaUnansweredError', expired: false });
});

t.test('a signal in the fetch options aborts requests, like the own signal of the form', async (t) => {
  const reason = new Error('the page has enough');
  const ending = new AbortController();
  const challenge = createChallenge({
    baseUrl: service.address,
    autoStart: false,
    fetchOptions: { signal: ending.signal },
  });
  t.teardown(challenge.close);
  await challenge.refresh();
  t.equal(challenge.status, 'ready');
  ending.abort(reason);
  await challenge.refresh();
  t.equal(challenge.status, 'error');
  t.equal(challenge.state.error, reason);
  t.same(service.requested, ['/pow'], 'nothing more was requested');
});
