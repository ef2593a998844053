// docs/metrics.md lists every metric of the running services, with type and labels, and no other.

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { makePass } from '@tollgate/shared/challenges';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import t, { type Test } from 'tap';
import { CHEAP, onRedis, type Site } from '../e2e/site.js';
import { GATE, SITE, visitSite } from '../monitoring/site-traffic.js';
import { literalsIn, tablesHeaded } from './markdown.js';
import { readProjectFile } from './project-file.js';

const HOST_KEY = 'the-key-of-the-default-host-0123456789';
const tables = tablesHeaded(readProjectFile('docs/metrics.md'), 'Metric');
const [common = [], session = [], challenge = []] = tables.map(({ rows }) =>
  rows.map(([name = '', type = '', labels = '']) => ({
    name: literalsIn(name)[0] ?? '',
    type,
    labels: literalsIn(labels).sort(),
  })),
);

t.test('the metrics of both services', (t) =>
  onRedis(
    t,
    {
      ...CHEAP,
      ...SITE,
      HOST_API_KEY: HOST_KEY,
      CAPTCHA_ESCALATION_AFTER: '100',
      CAPTCHA_POW_ALGORITHMS: 'hashwx-1,sha256',
      ...GATE,
    },
    tests,
  ),
);

async function tests(t: Test, site: Site): Promise<void> {
  const { gateway, sessionAdmin, challengeAdmin } = site;
  const user = await site.newUser();
  const wrong = { ...user, password: 'wrong' };
  const figuresOf = async (client: Site['gateway']) => parse((await client.get('/metrics')).text);

  await t.test('each event is counted in its metric', async (t) => {
    const { cookie } = await site.logIn(user);
    await site.refresh(cookie);
    await site.refresh('refreshToken=forged');
    await site.tryLogIn(wrong, { ip: site.newAddress() });
    const work = await site.work();
    await gateway.post('/login', { body: { ...wrong, ...work } });
    const image = await site.image();
    const png = await gateway.get(`/api/captcha/${image.captcha_token}.png`);
    t.equal(png.status, 200);
    await gateway.get('/api/captcha?preset=effort');
    const guarded = { headers: { 'x-forwarded-host': 'gated.test' } };
    t.equal((await site.challenge.get('/api/captcha/gate/check', guarded)).status, 403);
    const headers = { authorization: `Bearer ${HOST_KEY}` };
    const { json: hashwx } = await gateway.get('/api/captcha/pow?algorithms=hashwx-1');
    const verified = await challengeAdmin.post('/host/verify', {
      body: { pow_token: hashwx.token, pow_nonce: findHashwxNumbers(hashwx), ...image },
      headers,
    });
    t.equal(verified.json.success, true);
    const again = await challengeAdmin.post('/host/verify', { body: { ...work }, headers });
    t.equal(again.json.code, 'pow_invalid');

    await visitSite(site);

    const [ours, theirs] = [await figuresOf(sessionAdmin), await figuresOf(challengeAdmin)];
    t.match(ours.values, {
      'tollgate_logins_total{result="success"}': 1,
      'tollgate_logins_total{result="failed"}': 1,
      'tollgate_logins_total{result="challenge_refused"}': 1,
      'tollgate_logins_total{result="throttled"}': 0,
      'tollgate_refreshes_total{outcome="rotated"}': 1,
      'tollgate_refreshes_total{outcome="invalid"}': 1,
      'tollgate_refreshes_total{outcome="reuse"}': 0,
      tollgate_password_check_duration_seconds_count: 2,
      'tollgate_challenges_solved_total{application="login",challenge="pow"}': 2,
      'tollgate_challenges_refused_total{application="login",code="pow_insufficient",reason="insufficient"}': 1,
      'tollgate_work_total{algorithm="sha256",outcome="verified"}': 2,
      'tollgate_work_total{algorithm="sha256",outcome="refused"}': 1,
      'tollgate_audit_events_total{event="login_failed"}': 1,
      'tollgate_store_failures_total{store="sessions"}': 0,
      'tollgate_http_request_duration_seconds_count{listener="public",method="POST",route="/login",status="422"}': 2,
    });
    t.ok(Math.abs(ours.values['tollgate_store_clock_offset_seconds{store="sessions"}']!) < 1);
    t.ok(ours.values['tollgate_store_operation_duration_seconds_count{store="sessions"}']! > 5);
    t.match(theirs.values, {
      'tollgate_challenges_issued_total{challenge="pow",preset="none"}': 5,
      'tollgate_challenges_issued_total{challenge="image",preset="default"}': 1,
      'tollgate_challenges_issued_total{challenge="effort",preset="effort"}': 1,
      'tollgate_work_total{algorithm="sha256",outcome="issued"}': 4,
      'tollgate_work_total{algorithm="hashwx-1",outcome="issued"}': 1,
      'tollgate_work_total{algorithm="hashwx-1",outcome="verified"}': 1,
      tollgate_challenge_difficulty_bits_count: 5,
      'tollgate_challenge_difficulty_bits_bucket{le="8"}': 4,
      tollgate_image_draw_duration_seconds_count: 1,
      'tollgate_image_jobs{state="waiting"}': 0,
      'tollgate_challenges_solved_total{application="default",challenge="pow"}': 1,
      'tollgate_challenges_solved_total{application="default",challenge="image"}': 1,
      'tollgate_challenges_refused_total{application="default",code="pow_invalid",reason="spent"}': 1,
      'tollgate_site_challenges_issued_total{site="shop",challenge="pow"}': 1,
      'tollgate_site_redemptions_total{site="shop",outcome="hostname_not_allowed"}': 1,
      'tollgate_siteverify_requests_total{site="",outcome="invalid-input-secret"}': 1,
      'tollgate_gate_checks_total{outcome="asked",reason="missing"}': 1,
      tollgate_gate_passes_total: 0,
      'tollgate_audit_events_total{event="challenge_refused"}': 1,
      'tollgate_http_request_duration_seconds_count{listener="public",method="GET",route="/api/captcha/:token(^[A-Za-z0-9]{40}$).png",status="200"}': 1,
      'tollgate_http_request_duration_seconds_count{listener="admin",method="POST",route="/host/verify",status="200"}': 2,
    });
    t.ok(theirs.values['tollgate_store_operation_duration_seconds_count{store="challenges"}']! > 5);
  });

  await t.test('the page lists every metric with its type and labels, and no other', async (t) => {
    const pass = makePass('nobody');
    const refused = await gateway.post('/login', { body: wrong, headers: { 'captcha-pass': pass } });
    t.match(refused.json, { code: 'pass_invalid' });
    await challengeAdmin.post('/host/verify', {
      body: { captcha_pass: pass },
      headers: { authorization: `Bearer ${HOST_KEY}` },
    });
    for (const [client, rows] of [
      [sessionAdmin, [...common, ...session]],
      [challengeAdmin, [...common, ...challenge]],
    ] as const) {
      const { families, labels } = await figuresOf(client);
      const own = families.filter(({ name }) => name.startsWith('tollgate_'));
      t.strictSame(
        own
          .map(({ name, type }) => ({ name, type, labels: [...(labels.get(name) ?? [])].sort() }))
          .sort(byName),
        rows.filter(({ name }) => name !== '').sort(byName),
      );
      for (const { name } of families) t.match(name, /^(tollgate|process|nodejs)_[a-z0-9_]+$/);
      for (const { name, type } of own) {
        t.equal(/_total$/.test(name), type === 'counter', `${name}: a counter ends with _total`);
        if (type === 'histogram') t.match(name, /_(seconds|bits)$/);
      }
    }
  });

  await t.test('no client can create labels', async (t) => {
    const series = async () => {
      const text = (await sessionAdmin.get('/metrics')).text + (await challengeAdmin.get('/metrics')).text;
      return text.split('\n').filter((line) => line.startsWith('tollgate_')).length;
    };
    const flood = async () => {
      for (let times = 0; times < 25; times++) {
        const name = randomBytes(8).toString('hex');
        for (const base of [site.session.url, site.challenge.url]) {
          for (const method of ['GET', 'PROPFIND', 'MKCOL', 'OPTIONS']) {
            await send(method, `${base}/${name}?${name}=1`);
            await send(method, `${base}/sessions/${name}`);
          }
        }
        await gateway.get(`/api/captcha?preset=${name}`);
        await gateway.get(`/api/captcha/pow?scope=${name}`);
        await gateway.post('/login', { body: { ...wrong, pow_token: name, pow_nonce: '1' } });
      }
    };
    await flood();
    const before = await series();
    await flood();
    t.equal(await series(), before);
    const { values } = await figuresOf(sessionAdmin);
    const unmatched = Object.keys(values).filter((key) => key.includes('route="unmatched"'));
    t.ok(unmatched.some((key) => key.includes('method="GET"') && key.includes('status="404"')));
  });
}

type Named = { readonly name: string };
const byName = (one: Named, other: Named) => (one.name < other.name ? -1 : 1);

/** Parses the text format: families with their types, the labels of each, and the value of each line. */
function parse(text: string) {
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  const labels = new Map<string, Set<string>>();
  const values: Record<string, number> = {};
  for (const [, series = '', name = '', list = '', value] of text.matchAll(
    /^(([a-z_]+)(?:\{(.*)\})?) (\S+)$/gm,
  )) {
    values[series] = Number(value);
    const family = families.find((one) => one.name === name)
      ? name
      : name.replace(/_(bucket|sum|count)$/, '');
    const found = labels.get(family) ?? new Set();
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) if (label !== 'le') found.add(label);
    labels.set(family, found);
  }
  return { families, labels, values };
}

/** A request of any method, whose response does not matter. */
function send(method: string, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { method, agent: false }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });
}
