// Passes: on every store, and in place of work through the guard.

import { randomBytes } from 'node:crypto';
import { trailTo } from '@tollgate/test-support/audit.js';
import { cheap, IP, openDesk, ring } from '@tollgate/test-support/issuing.js';
import { eachKind, eachStore, embeddedStore } from '@tollgate/test-support/stores.js';
import Fastify from 'fastify';
import t, { type Test } from 'tap';
import { makePass, passHash, readPass } from '../../../src/challenges/attempts/pass.js';
import type { PassStore } from '../../../src/challenges/store/challenge-store.js';
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
import { challengesOn } from '../../challenges/fixtures.js';

const DAY_MS = 86_400_000;
const claim = () => randomBytes(16).toString('hex');

/** Creates a pass and returns a function that uses it. */
async function passOn(passes: PassStore, { perMinute = 100, lifetimeMs = DAY_MS, name = 'uptime' } = {}) {
  const pass = makePass(name);
  const hash = passHash(pass);
  const expiresAtMs = await passes.makePass({ name, hash, application: 'shop', perMinute, lifetimeMs });
  const use = async (about: Partial<Parameters<PassStore['usePass']>[0]> = {}, on = passes) => {
    const given = { name, hash, application: 'shop', claim: claim(), rememberMs: 60_000, ...about };
    return (await on.usePass(given)).outcome;
  };
  return { pass, hash, expiresAtMs, use };
}

t.test('a pass is valid for its application alone, until it expires or is revoked', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const passes = challengesOn(store);
    const fromMs = (await store.timeMs()) + DAY_MS;
    const { hash, expiresAtMs, use } = await passOn(passes);
    const untilMs = (await store.timeMs()) + DAY_MS;
    t.ok(expiresAtMs !== null && fromMs <= expiresAtMs && expiresAtMs <= untilMs, `${expiresAtMs}`);
    t.equal(await use(), 'passed');
    t.equal(await use({ application: 'forum' }), 'other_application');
    t.equal(await use({ hash: passHash('guessed') }), 'wrong');
    t.equal(await use({ name: 'nobody' }), 'unknown');
    const about = { name: 'uptime', hash, application: 'shop', perMinute: 100, expiresAtMs };
    t.strictSame(await passes.listPasses(), [about]);

    const brief = await passOn(passes, { name: 'brief', lifetimeMs: 1 });
    while ((await store.timeMs()) <= (brief.expiresAtMs ?? 0)) await store.timeMs();
    t.match(await brief.use(), /^(expired|unknown)$/);

    t.equal(await passes.revokePass('uptime'), true);
    t.equal(await passes.revokePass('uptime'), false);
    t.equal(await use(), 'unknown', 'the next use of a revoked pass is refused');
  });
});

t.test('concurrent uses pass only up to the rate', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const nodes = [challengesOn(store), challengesOn(store)];
    const { use } = await passOn(nodes[0]!, { perMinute: 5 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => use({}, nodes[at % 2])));
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    t.strictSame([count('passed'), count('exhausted')], [5, 15]);
    t.equal(await use({ application: 'forum' }), 'other_application', 'which the rate does not hide');
  });
});

t.test('a repeated request counts once, and a rejected one does not count', async (t) => {
  await eachStore(t, async (t, { store }) => {
    const { use } = await passOn(challengesOn(store), { perMinute: 2 });
    const same = { claim: claim() };
    const repeated = await Promise.all(Array.from({ length: 5 }, () => use(same)));
    t.strictSame(new Set(repeated), new Set(['passed']));
    for (let times = 0; times < 5; times++) await use({ hash: passHash('guessed') });
    t.equal(await use(), 'passed');
    t.equal(await use(), 'exhausted');
    t.equal(await use(same), 'passed', 'also once it is used up');
  });
});

t.test('a name belongs to one pass at a time, and is free after its expiry', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const passes = challengesOn(store);
    const first = await passOn(passes, { lifetimeMs: 1 });
    while ((await store.timeMs()) <= (first.expiresAtMs ?? 0)) await store.timeMs();
    const second = await passOn(passes);
    t.equal(typeof second.expiresAtMs, 'number');
    t.equal((await passOn(passes)).expiresAtMs, null);
    t.equal(await second.use(), 'passed');
    t.equal(await first.use(), 'wrong');
    await passOn(passes, { name: 'a' });
    t.strictSame(
      (await passes.listPasses()).map(({ name }) => name),
      ['a', 'uptime'],
    );
  });
});

t.test('the store contains no usable pass', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { pass, hash, use } = await passOn(challengesOn(store));
    t.equal(await use(), 'passed');
    const dump =
      store.kind === 'embedded'
        ? (await Promise.all((await store.keys('')).map((key) => store.read(key)))).join('\n')
        : JSON.stringify(await store.client.hgetall('captcha:passes:{passes}'));
    t.ok(dump.includes(hash));
    t.notOk(dump.includes(pass.slice(-43)));
    t.equal(readPass(hash), null);
    t.strictSame(readPass(pass), { name: 'uptime', hash });
  });
});

t.test('a malformed pass never reaches the store', async (t) => {
  const secret = 'a'.repeat(43);
  const wrong = [
    ...[undefined, null, 7, {}, [], '', 'tgp_', `tgp_a_${secret}b`, `tgp_a_${secret.slice(1)}`],
    ...[`TGP_a_${secret}`, `tgp_A_${secret}`, `tgp__${secret}`, `tgp_-a_${secret}`, ` tgp_a_${secret}`],
    ...[`tgp_a_${secret}\n`, `tgp_a_${secret}, tgp_a_${secret}`, `tgp_${'a'.repeat(33)}_${secret}`],
  ];
  for (const presented of wrong) t.equal(readPass(presented), null, JSON.stringify(presented));
  t.not(readPass(`tgp_${'a'.repeat(32)}_${secret}`), null);
});

// A pass in place of work, through the guard: its scope, its limits, and its confidentiality.

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
