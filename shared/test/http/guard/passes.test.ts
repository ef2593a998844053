// A pass in place of work, through the guard: its scope, its limits, and its confidentiality.

import { trailTo } from '@tollgate/test-support/audit.js';
import { cheap, IP, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { makePass, passHash } from '../../../src/challenges/attempts/pass.js';
import guard from '../../../src/http/guard/challenge-guard.js';
import { captcha, type Guard, pow } from '../../../src/http/guard/guards.js';
import { createLogger } from '../../../src/http/observability/logger.js';
import { createMetrics } from '../../../src/http/observability/metrics.js';
import {
  createAuditCounters,
  createChallengeObservers,
} from '../../../src/http/observability/service-metrics.js';
import { serverOptions } from '../../../src/http/server/server-options.js';
import type { Store } from '../../../src/store/open-store.js';

const key = () => 'someone';

async function openForm(t: Test, store: Store, guards: readonly Guard[], input = cheap) {
  const desk = openDesk(store, { input });
  let log = '';
  const output = {
    write(line: string) {
      log += line;
    },
  };
  const logger = createLogger({ name: 'test', level: 'trace' }, output);
  const app = Fastify(serverOptions({ logger, trustProxy: undefined, publicUrl: 'http://localhost' }));
  t.teardown(() => app.close());
  const metrics = createMetrics({ process: false });
  const audit: Record<string, unknown>[] = [];
  const trail = trailTo(
    (line) => audit.push(JSON.parse(line)),
    'session-service',
    createAuditCounters(metrics, 'session-service'),
  );
  const observer = createChallengeObservers(metrics)('tests', trail);
  const { options, challenges } = desk;
  await app.register(guard, { store: challenges, ring, options, application: 'tests', observer });
  app.post('/form', { config: { guards } }, async (request) => {
    if (guards.some((each) => typeof each === 'object' && 'key' in each)) await request.countAttempt();
    return { ok: true };
  });
  const make = async (name: string, { application = 'tests', perMinute = 100, lifetimeMs = 60_000 } = {}) => {
    const pass = makePass(name);
    const about = { name, hash: passHash(pass), application, perMinute, lifetimeMs };
    await challenges.makePass(about);
    return pass;
  };
  const post = async (pass: string | undefined, payload: object = {}) => {
    const headers = pass === undefined ? {} : { 'captcha-pass': pass };
    const answer = await app.inject({ method: 'POST', url: '/form', payload, headers, remoteAddress: IP });
    return { status: answer.statusCode, json: answer.json(), headers: answer.headers };
  };
  return { ...desk, make, post, audit, metrics: () => metrics.text(), log: () => log };
}

t.test('a pass replaces work of any price, and the handler reads its name', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { make, post, audit, metrics, log } = await openForm(t, store, [pow({ atLeast: 14 })]);
    const pass = await make('uptime');
    t.match(await post(pass), { status: 200, json: { ok: true } });
    t.match(audit, [{ event: 'pass_used', application: 'tests', pass: 'uptime', address: /^[0-9a-f]{32}$/ }]);
    t.match(
      await metrics(),
      /tollgate_passes_presented_total\{application="tests",pass="uptime",outcome="passed"\} 1/,
    );
    t.notOk(log().includes(pass.slice(-43)), 'no log has it');
    t.notOk(JSON.stringify(audit).includes(pass.slice(-43)));
  });
});

t.test('guessed, foreign, expired and malformed passes are rejected alike', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { make, post, audit, work, challenges } = await openForm(t, store, [pow()]);
    const right = await make('uptime');
    const foreign = await make('partner', { application: 'shop' });
    const expired = await make('brief', { lifetimeMs: 1 });
    const madeMs = await store.timeMs();
    while ((await store.timeMs()) <= madeMs) await store.timeMs();
    const guessed = makePass('uptime');
    const unknown = makePass('nobody');
    const { powToken, powNonce } = await work();
    const solved = { pow_token: powToken, pow_nonce: powNonce };
    for (const wrong of [expired, guessed, foreign, unknown, 'x', `${right}x`, `${right}, ${right}`]) {
      t.strictSame((await post(wrong, solved)).json, {
        captcha_required: false,
        message: 'This pass is not valid here.',
        code: 'pass_invalid',
        errors: {},
      });
    }
    t.match(
      audit.map(({ pass, reason }) => [pass, reason]),
      [
        ['brief', 'expired'],
        ['uptime', 'wrong'],
        ['partner', 'other_application'],
        [undefined, 'unknown'],
      ],
    );
    await challenges.revokePass('uptime');
    t.match(await post(right), { status: 422, json: { code: 'pass_invalid' } }, 'revoked: at once');
    t.equal((await post('', solved)).status, 200, 'an empty header is none, and the work was not spent');
  });
});

t.test(
  'a pass over its rate is rejected for the rest of the minute, also for 20 parallel requests',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { make, post } = await openForm(t, store, [pow()]);
      const pass = await make('uptime', { perMinute: 3 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(pass)));
      t.equal(answers.filter(({ status }) => status === 200).length, 3);
      const refused = answers.find(({ status }) => status !== 200);
      t.match(refused, { status: 429, json: { code: 'pass_exhausted', captcha_required: false } });
      const wait = Number(refused?.headers['retry-after']);
      t.ok(wait >= 1 && wait <= 60, `${wait} s`);
    });
  },
);

t.test('a pass replaces no image; its attempts are counted and delayed like others', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { make, post, image, host, challenges } = await openForm(t, store, [pow({ key, throttle: true })]);
    const pass = await make('uptime');
    t.equal((await post(pass)).status, 200);
    t.equal((await post(pass)).status, 200);
    t.match(await post(pass), { status: 422, json: { code: 'captcha_required', captcha_required: true } });
    const answered = async () => {
      const { imageToken, imageAnswer } = await image();
      return { captcha_token: imageToken, captcha: imageAnswer };
    };
    for (let times = 0; times < 3; times++) t.equal((await post(pass, await answered())).status, 200);
    const waiting = await post(pass, await answered());
    t.match(waiting, { status: 429, json: { code: 'login_throttled' } });
    t.equal((await host.attemptStatus('someone')).failures, 5, 'each use was counted as a failure');
    t.equal((await challenges.listPasses()).length, 1);

    const pictures = await openForm(t, store, [captcha]);
    t.match((await pictures.post(pass)).json, { code: 'captcha_invalid' });
  });
});

t.test('without verification of work, passes are ignored', async (t) => {
  const { store } = embeddedStore(t);
  const off = { ...cheap, pow: { ...cheap.pow, enabled: false } };
  const { make, post } = await openForm(t, store, [pow()], off);
  const pass = await make('uptime', { perMinute: 1 });
  for (const presented of [pass, pass, 'x']) t.equal((await post(presented)).status, 200);
});
