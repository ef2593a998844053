// The gate: accepted requests, the scope of a pass, and the responses without one.

import { cookieValues, createEnvelope, openKeyRing } from '@tollgate/shared/crypto';
import { languages } from '@tollgate/shared/messages';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { openImages, openNode, SECRET } from '../../../test/challenge-node.js';
import { gateExtension } from '../gate-extension.js';
import { createGatePasses, networkOf } from '../gate-passes.js';
import { loadGateOptions } from '../load-gate-options.js';
import {
  ask,
  BROWSER,
  cookieOf,
  gateEnvironment,
  noteIn,
  OTHER,
  passOf,
  SITE,
  submit,
  workOf,
} from './visitor.js';

const images = await openImages(t);

function openGate(t: Test, options: object = {}, env: Readonly<Record<string, string>> = {}) {
  const { store } = embeddedStore(t);
  return openNode(t, store, { images, env: { ...gateEnvironment(options), ...env } });
}

const TERMS = { seconds: 3600, ipv4: 24, ipv6: 48 };
const NAME = '__Host-tollgate-pass';

t.test('without configuration there is no gate', async (t) => {
  const node = await openNode(t, embeddedStore(t).store);
  t.equal((await ask(node)).statusCode, 404);
  t.equal((await submit(node, {})).statusCode, 404);
});

t.test('a configuration error stops the start', async (t) => {
  const { GATE, TRUST_PROXY, ...others } = gateEnvironment();
  const open = (env: Readonly<Record<string, string>>) => openNode(t, embeddedStore(t).store, { env });
  await t.rejects(open({ ...others, GATE: '{', TRUST_PROXY: 'loopback' }), {
    message: /^GATE is not valid JSON/,
  });
  await t.rejects(open({ ...others, GATE: '/nowhere.json', TRUST_PROXY: 'loopback' }), {
    message: /^GATE names a file that cannot be read \(ENOENT\)/,
  });
  await t.rejects(open({ ...others, GATE: '{"sites":[],"a":1}' }), {
    message: /GATE a: unknown option\n.*GATE sites must be a list[\s\S]*GATE needs TRUST_PROXY/,
  });
  await t.rejects(open({ ...gateEnvironment(), CAPTCHA_POW_ENABLED: 'false' }), {
    message: /^GATE needs CAPTCHA_POW_ENABLED=true/,
  });
  const file = t.testdir({ 'gate.json': GATE ?? '' });
  t.match(loadGateOptions('gate.json', { trustedProxies: ['loopback'], hasWork: true, root: file }), {
    sites: [SITE, OTHER],
    pass: TERMS,
  });
});

t.test('work yields a pass, which needs no store command', async (t) => {
  const { store, redis } = await redisStore(t);
  const node = await openNode(t, store, { images, env: gateEnvironment() });
  t.equal((await ask(node)).statusCode, 403);
  const cookie = await passOf(node);
  t.match(cookie, /^__Host-tollgate-pass=[A-Za-z0-9%]{100,300}$/);
  const commands = await redis.commands(async () => {
    for (const target of ['/', '/a?b=c', '/robots.txt']) {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
        const { statusCode, payload } = await ask(node, { cookie, target, method });
        t.strictSame([statusCode, payload], [204, '']);
      }
    }
    t.equal((await ask(node, { headers: BROWSER })).statusCode, 403);
  });
  t.strictSame(commands, []);
  const metrics = await node.metrics();
  t.match(metrics, 'tollgate_gate_checks_total{outcome="passed",reason="pass"} 10');
  t.match(metrics, 'tollgate_gate_checks_total{outcome="passed",reason="well_known"} 2');
  t.match(metrics, 'tollgate_gate_checks_total{outcome="asked",reason="missing"} 2');
  t.match(metrics, 'tollgate_gate_passes_total 1');
  t.match(metrics, 'tollgate_challenges_solved_total{application="gate",challenge="pow"} 1');
});

t.test('a pass is valid for one site and one network, until it expires', async (t) => {
  const node = await openGate(t);
  const cookie = await passOf(node);
  for (const ip of ['203.0.113.7', '203.0.113.250', '::ffff:203.0.113.9']) {
    t.equal((await ask(node, { cookie, ip })).statusCode, 204, ip);
  }
  const wide = await passOf(node, { ip: '2001:db8:7:1::1' });
  t.equal((await ask(node, { cookie: wide, ip: '2001:db8:7:ffff::2' })).statusCode, 204);
  for (const ip of ['203.0.114.7', '2001:db8:8::1', 'unknown', '']) {
    t.equal((await ask(node, { cookie, ip })).statusCode, 403, ip);
    t.equal((await ask(node, { cookie: wide, ip })).statusCode, 403, ip);
  }
  const renamed = cookie.replace('__Host-', '');
  t.equal((await ask(node, { site: OTHER, cookie: renamed })).statusCode, 403, 'another site');
  const passes = createGatePasses(openKeyRing(SECRET), TERMS);
  const holder = { site: SITE, address: '203.0.113.7' };
  const issuedAt = (agoMs: number) => `${NAME}=${passes.issue(holder, Date.now() - agoMs)}`;
  t.equal((await ask(node, { cookie: issuedAt(3_595_000) })).statusCode, 204);
  t.equal((await ask(node, { cookie: issuedAt(3_601_000) })).statusCode, 403, 'expired');
  const others = createGatePasses(openKeyRing('another-secret-of-the-tests-00000001'), TERMS);
  t.equal(
    (await ask(node, { cookie: `${NAME}=${others.issue(holder, Date.now())}` })).statusCode,
    403,
    'forged',
  );
  const metrics = await node.metrics();
  for (const reason of ['other_network', 'other_site', 'expired', 'forged']) {
    t.match(metrics, `tollgate_gate_checks_total{outcome="asked",reason="${reason}"}`);
  }
});

const HOME4 = '203.0.113.7';
const HOME6 = '2001:db8:7:1::1';

t.test(
  'a page loaded over one address family and solved over the other: the pass is valid over both',
  async (t) => {
    for (const [pageFrom, workFrom] of [
      [HOME4, HOME6],
      [HOME6, HOME4],
    ] as const) {
      const node = await openGate(t);
      const page = await ask(node, { headers: BROWSER, ip: pageFrom });
      const fields = { ...(await workOf(node, { ip: workFrom })), sent_to: noteIn(page.payload) };
      const cookie = cookieOf(await submit(node, fields, { ip: workFrom }));
      for (const ip of [pageFrom, workFrom]) t.equal((await ask(node, { cookie, ip })).statusCode, 204, ip);
      for (const ip of ['203.0.114.7', '2001:db8:8::1'])
        t.equal((await ask(node, { cookie, ip })).statusCode, 403, `${ip} is in neither network`);
    }
  },
);

t.test('a visitor whose address family changes between pages solves one challenge for each', async (t) => {
  const node = await openGate(t);
  const first = await passOf(node, { ip: HOME4 });
  const moved = await ask(node, { headers: BROWSER, ip: HOME6, cookie: first });
  t.match(moved.payload, 'data-moved="The check was passed, but your connection', 'cookies are not blamed');
  const fields = { ...(await workOf(node)), sent_to: noteIn(moved.payload) };
  const second = cookieOf(await submit(node, fields, { ip: HOME6, cookie: first }));
  for (const ip of [HOME4, HOME6]) t.equal((await ask(node, { cookie: second, ip })).statusCode, 204, ip);
  for (const headers of [{}, { 'user-agent': 'x' }]) {
    const page = await ask(node, { headers: { ...BROWSER, ...headers }, ip: HOME6 });
    t.notMatch(page.payload, 'data-moved', 'nobody has shown a pass');
  }
});

t.test('a pass names at most two networks, one for each family, each with its own expiry', async (t) => {
  const passes = createGatePasses(openKeyRing(SECRET), TERMS);
  const at = (address: string, site = SITE) => ({ site, address });
  const [other4, other6] = ['198.51.100.7', '2001:db8:8:1::/64'];
  const home6 = '2001:db8:7:1::/64';
  const fits = (pass: string, nowMs = 0) =>
    [HOME4, other4, home6, other6].map((address) => passes.problemOf(pass, at(address), nowMs) ?? 'fits');
  const no = 'other_network';
  const noteOf = (address: string, site = SITE) => passes.note(at(address, site), 0);

  t.strictSame(fits(passes.issue(at(HOME4), 0)), ['fits', no, no, no]);
  const both = passes.issue(at(home6), 0, { note: noteOf(HOME4) });
  t.strictSame(fits(both), ['fits', no, 'fits', no]);
  t.strictSame(fits(both, 3_600_000), ['expired', 'expired', 'expired', 'expired']);

  t.strictSame(
    fits(passes.issue(at(HOME4), 0, { note: noteOf(other4) })),
    ['fits', no, no, no],
    'one family',
  );
  const late = passes.issue(at(home6), 600_000, { note: noteOf(HOME4) });
  t.strictSame(fits(late, 600_000), [no, no, 'fits', no], 'a note of ten minutes ago');
  t.strictSame(fits(passes.issue(at(home6), 0, { note: noteOf(HOME4, OTHER) })), [no, no, 'fits', no]);
  t.strictSame(fits(passes.issue(at(home6), 0, { note: both })), [no, no, 'fits', no], 'a pass is no note');
  for (const note of [noteOf(HOME4).slice(1), 'x', '', ' '.repeat(9000)])
    t.strictSame(fits(passes.issue(at(home6), 0, { note })), [no, no, 'fits', no], 'an altered one');
  t.equal(passes.problemOf(noteOf(HOME4), at(HOME4), 0), 'forged', 'a note is no pass');

  const once = noteOf(HOME4);
  passes.issue(at(home6), 0, { note: once });
  for (const spelling of [once, decodeURIComponent(once), encodeURIComponent(once)]) {
    const again = passes.issue(at(other6), 0, { note: spelling });
    t.strictSame(fits(again), [no, no, no, 'fits'], 'one pass for a note, however it is written');
  }

  const carried = passes.issue(at(other6), 1_800_000, { passes: ['x', both] });
  t.strictSame(
    fits(carried, 1_800_000),
    ['fits', no, no, 'fits'],
    'the network of the same family is replaced',
  );
  t.strictSame(fits(carried, 3_600_000), ['expired', no, no, 'fits'], 'the other keeps its time');
  t.strictSame(fits(passes.issue(at(other6), 3_600_000, { passes: [both] }), 3_600_000), [
    no,
    no,
    no,
    'fits',
  ]);
  const ofOther = passes.issue(at(HOME4, OTHER), 0);
  t.strictSame(
    fits(passes.issue(at(other6), 0, { passes: [ofOther] })),
    [no, no, no, 'fits'],
    'another site',
  );

  const before = createEnvelope('pass', openKeyRing(SECRET));
  const [expires, hash, site] = before.open(both)?.split(' ') ?? [];
  const old = before.seal(`${expires} ${hash} ${site}`);
  t.strictSame(fits(old), [no, no, 'fits', no], 'a pass of the version before');
  t.strictSame(fits(passes.issue(at(HOME4), 0, { passes: [old] })), ['fits', no, no, no]);
});

t.test(
  'with 0 bits, addresses of that family are not compared; with 0 for both, a pass works anywhere',
  async (t) => {
    const bound = await openGate(t, { pass: { ipv4: 0 } });
    const cookie = await passOf(bound, { ip: HOME4 });
    t.equal((await ask(bound, { cookie, ip: '198.51.100.7' })).statusCode, 204);
    t.equal((await ask(bound, { cookie, ip: HOME6 })).statusCode, 403);
    const wide = await passOf(bound, { ip: HOME6 });
    for (const ip of [HOME4, '2001:db8:8::1'])
      t.equal((await ask(bound, { cookie: wide, ip })).statusCode, 403);
    const unbound = await openGate(t, { pass: { ipv4: 0, ipv6: 0 } });
    const free = await passOf(unbound, { ip: HOME4 });
    for (const ip of [HOME4, '198.51.100.7', HOME6]) {
      t.equal((await ask(unbound, { cookie: free, ip })).statusCode, 204, ip);
    }
    t.equal((await ask(unbound, { cookie: free, ip: 'unknown' })).statusCode, 403);
  },
);

t.test('the network of each address', async (t) => {
  const bits = { ipv4: 20, ipv6: 56 };
  t.equal(networkOf('203.0.119.7', bits), '203.0.112.0/20');
  t.equal(networkOf('2001:db8:1:ab12::/64', bits), '2001:db8:1:ab00::/56');
  t.equal(networkOf('203.0.119.7', { ipv4: 32, ipv6: 64 }), '203.0.119.7/32');
  t.equal(networkOf('2001:db8:1:ab12::/64', { ipv4: 8, ipv6: 32 }), '2001:db8:0:0::/32');
  t.equal(networkOf('203.0.119.7', { ipv4: 0, ipv6: 32 }), 'any');
});

t.test('passes remain valid after a key change until the old key is removed', async (t) => {
  const old = 'first-secret-of-the-gate-test-000001';
  const next = 'other-secret-of-the-gate-test-000002';
  const { store } = embeddedStore(t);
  const open = (CHALLENGE_SECRET: string) =>
    openNode(t, store, { env: { ...gateEnvironment(), CHALLENGE_SECRET } });
  const [before, during, after] = [await open(old), await open(`${next},${old}`), await open(next)];
  const cookie = await passOf(before);
  t.equal((await ask(during, { cookie })).statusCode, 204);
  t.equal((await ask(after, { cookie })).statusCode, 403);
  const renewed = await passOf(during);
  t.equal((await ask(after, { cookie: renewed })).statusCode, 204);
  t.equal((await ask(before, { cookie: renewed })).statusCode, 403);
});

t.test(
  'the cookie is limited to the site, Secure with https, and unaffected by planted cookies',
  async (t) => {
    const node = await openGate(t, { pass: { seconds: 600 } });
    const answer = await submit(node, await workOf(node));
    t.match(
      answer.headers['set-cookie'],
      /^__Host-tollgate-pass=\S+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    t.strictSame(answer.json(), { expires_in: 600 });
    const plain = await submit(node, await workOf(node, { site: OTHER }), { site: OTHER });
    t.match(plain.headers['set-cookie'], /^tollgate-pass=\S+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const pass = await passOf(node);
    const planted = `a=b; ${NAME}=x; ${NAME}=; ${pass}; ${NAME}=y`;
    t.equal((await ask(node, { cookie: planted })).statusCode, 204);
    const many = `${`${NAME}=x; `.repeat(49)}${pass}`;
    t.equal((await ask(node, { cookie: many })).statusCode, 204, 'however many another host plants');
  },
);

t.test('a pass is accepted decoded once, encoded twice or in double quotes', async (t) => {
  const node = await openGate(t);
  const issue = async () => (await passOf(node)).slice(NAME.length + 1);
  let value = await issue();
  // About one pass in several hundred contains nothing to encode and therefore has one spelling.
  while (!value.includes('%')) value = await issue();
  const spellings = [value, decodeURIComponent(value), encodeURIComponent(value), `"${value}"`];
  for (const spelling of spellings)
    t.equal((await ask(node, { cookie: `${NAME}=${spelling}` })).statusCode, 204, spelling);
  for (const wrong of [encodeURIComponent(encodeURIComponent(value)), `%22${value}%22`, `"${value}`])
    t.equal((await ask(node, { cookie: `${NAME}=${wrong}` })).statusCode, 403, wrong);
});

t.test('rules match IPv4 addresses behind a translator, and single IPv6 addresses', async (t) => {
  const node = await openGate(t, {
    rules: [{ action: 'pass', addresses: ['192.0.2.7', '2001:db8:600d::1'] }],
  });
  for (const ip of ['192.0.2.7', '::ffff:192.0.2.7', '64:ff9b::c000:207', '2001:db8:600d::1']) {
    t.equal((await ask(node, { ip })).statusCode, 204, ip);
  }
  for (const ip of ['192.0.2.8', '64:ff9b::c000:208', '2001:db8:600d::2']) {
    t.equal((await ask(node, { ip })).statusCode, 403, ip);
  }
});

t.test('robots pass by address range; a rejecting rule stops every robot', async (t) => {
  const node = await openGate(t, {
    robots: [{ name: 'search', agent: 'SearchBot', addresses: ['192.0.2.0/24'] }],
    rules: [{ action: 'refuse', paths: ['/private/*'] }],
  });
  const headers = { ...BROWSER, 'user-agent': 'Mozilla/5.0 (compatible; searchbot/1.0)' };
  t.equal((await ask(node, { ip: '192.0.2.9', headers })).statusCode, 204);
  t.equal((await ask(node, { ip: '192.0.2.9' })).statusCode, 403);
  t.equal((await ask(node, { ip: '203.0.113.7', headers })).statusCode, 403);
  const refused = await ask(node, { target: '/private/a', cookie: await passOf(node), headers: BROWSER });
  t.equal(refused.statusCode, 403);
  t.match(refused.payload, 'This page cannot be opened from your network.');
  t.notMatch(refused.payload, '<form');
  t.equal((await ask(node, { target: '/private/a' })).json().code, 'gate_refused');
});

t.test('a possible robot is told to retry while its address cannot be looked up', async (t) => {
  const failing = async () => {
    throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT' });
  };
  const robots = [{ name: 'search', agent: 'SearchBot', hosts: ['search.example'] }];
  const node = await openNode(t, embeddedStore(t).store, {
    images,
    env: gateEnvironment({ robots }),
    extensions: [gateExtension(() => ({ reverse: failing, addressesOf: failing }))],
  });
  const robot = await ask(node, { headers: { 'user-agent': 'SearchBot/1.0' } });
  t.strictSame([robot.statusCode, robot.json().code], [503, 'gate_not_looked_up']);
  t.equal(robot.headers['retry-after'], '60');
  const page = await ask(node, { headers: { ...BROWSER, 'user-agent': 'SearchBot/1.0' } });
  t.equal(page.statusCode, 503, 'with the page, in which a person can work');
  t.match(page.payload, '<form id="check"');
  t.equal((await ask(node, { headers: { 'user-agent': 'other' } })).statusCode, 403, 'nobody else is');
  const cookie = await passOf(node);
  t.equal((await ask(node, { cookie, headers: { 'user-agent': 'SearchBot/1.0' } })).statusCode, 204);
  t.match(await node.metrics(), 'tollgate_gate_checks_total{outcome="asked",reason="not_looked_up"} 2');
});

t.test('programs get JSON, people get a page in their language', async (t) => {
  const node = await openGate(t);
  for (const accept of [undefined, '*/*', 'application/json', 'image/avif,image/webp,*/*;q=0.8']) {
    const answer = await ask(node, { headers: accept === undefined ? {} : { accept } });
    t.equal(answer.statusCode, 403);
    t.match(answer.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' });
    t.strictSame(answer.json(), {
      message: 'This site requires a short check first. Open its address in a browser.',
      code: 'gate_pass_required',
    });
  }
  const script = await ask(node, { headers: { accept: '*/*', 'sec-fetch-mode': 'navigate' } });
  t.match(script.headers['content-type'], /^application\/json/, 'which names no HTML');
  const turbo = { accept: 'text/html, application/xhtml+xml', 'sec-fetch-dest': 'empty' };
  for (const mode of ['cors', 'same-origin']) {
    const answer = await ask(node, { headers: { ...turbo, 'sec-fetch-mode': mode } });
    t.equal(answer.statusCode, 403);
    t.match(
      answer.headers['content-type'],
      /^text\/html/,
      'the fetch of a service worker or of Turbo is shown',
    );
  }
  const words = new Set<string | undefined>();
  for (const language of languages) {
    const headers = { ...BROWSER, 'accept-language': `${language}-XX,en;q=0.5` };
    const { statusCode, headers: answered, payload } = await ask(node, { headers });
    t.equal(statusCode, 403);
    t.match(answered, {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'cache-control': 'no-store',
      'content-security-policy': /^default-src 'none'; /,
      vary: /Accept.*Cookie.*Accept-Language/,
    });
    const direction = ['ar', 'he'].includes(language) ? 'rtl' : 'ltr';
    t.match(payload, `<html lang="${language}" dir="${direction}">`);
    t.match(payload, 'www.example.com');
    t.notMatch(payload, '{site}');
    words.add(/<h1>(.*?)<\/p>/s.exec(payload)?.[1]);
  }
  t.equal(words.size, 17, 'each in its own words');
  t.ok(Buffer.byteLength((await ask(node, { headers: BROWSER })).payload) < 8_000, 'less than 8 kB');
});

t.test('a popup that meets a page of the gate keeps its opener, to return a login', async (t) => {
  const node = await openGate(t, { rules: [{ action: 'refuse', paths: ['/private'] }] });
  for (const target of ['/', '/private']) {
    const { statusCode, headers } = await ask(node, { target, headers: BROWSER });
    t.equal(statusCode, 403);
    t.equal(headers['cross-origin-opener-policy'], 'unsafe-none', target);
  }
});

t.test('an unknown host is rejected, and so are submissions from pages of other sites', async (t) => {
  const node = await openGate(t);
  for (const site of ['https://elsewhere.example', 'https://www.example.com.evil.example']) {
    const answer = await ask(node, { site });
    t.strictSame([answer.statusCode, answer.json().code], [403, 'gate_site_unknown'], site);
    t.equal((await submit(node, { return: '/' }, { site })).json().code, 'gate_site_unknown');
  }
  for (const host of ['WWW.example.com', 'www.example.com:443']) {
    t.equal(
      (await ask(node, { headers: { 'x-forwarded-host': host } })).json().code,
      'gate_pass_required',
      host,
    );
  }
  const work = await workOf(node);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    t.equal(
      (await submit(node, work, { headers: headers as Record<string, string> })).json().code,
      'origin_refused',
    );
  }
  t.equal(
    (await submit(node, work, { headers: { origin: SITE } })).statusCode,
    200,
    'the work was not spent',
  );
  t.match((await submit(node, work)).json(), { code: 'pow_invalid' }, 'but is good once');
});

t.test('without JavaScript: the page gives instructions, or shows an image that leads on', async (t) => {
  const visit = { target: '/wanted?a=b%20c&d=%22%3E', headers: BROWSER };
  const bare = await ask(await openGate(t), visit);
  t.match(bare.payload, /<noscript><p>JavaScript is switched off here\. Switch it on/);
  t.notMatch(bare.payload, 'no-script/');

  const node = await openGate(t, {}, { CAPTCHA_NO_SCRIPT: 'image', RATE_LIMIT_NO_SCRIPT: '100' });
  const fieldsOf = async ({ payload }: { payload: string }) => {
    const [, path = '', token = ''] =
      /<img src="(\/api\/captcha\/no-script\/(\w{40})\.png)"/.exec(payload) ?? [];
    const { headers } = await node.get(path);
    const [, wanted = ''] =
      /name="return" value="([^"]*)"><button|name="return" value="([^"]*)"/.exec(payload) ?? [];
    const answer = String(headers['x-captcha-answer']);
    return { captcha_token: token, captcha: answer, return: visit.target, wanted };
  };
  const page = await ask(node, visit);
  t.match(page.payload, 'value="/wanted?a=b%20c&amp;d=%22%3E"');
  const { wanted: _wanted, ...fields } = await fieldsOf(page);
  const note = noteIn(page.payload);
  const wrong = await submit(node, { ...fields, captcha: 'xxxxxx', sent_to: note }, { ...visit, ip: HOME6 });
  t.equal(noteIn(wrong.payload), note, 'the note is that of the first page');
  t.equal(wrong.statusCode, 422);
  t.match(wrong.payload, 'That answer was not accepted.');
  const { wanted: _again, ...again } = await fieldsOf(wrong);
  t.not(again.captcha_token, fields.captcha_token, 'with a new image');
  const right = await submit(node, again, visit);
  t.equal(right.statusCode, 303);
  t.equal(right.headers.location, `${SITE}${visit.target}`);
  const cookie = String(right.headers['set-cookie']).split(';')[0];
  t.equal((await ask(node, { ...visit, cookie })).statusCode, 204);

  const foreign = await fieldsOf(await ask(node, visit));
  for (const wanted of ['//evil.example', 'https://evil.example/', '/\\evil.example', '/..//evil.example']) {
    const led = await submit(node, { ...(await fieldsOf(await ask(node, visit))), return: wanted }, visit);
    t.strictSame([led.statusCode, led.headers.location], [303, `${SITE}/`], wanted);
  }
  const lost = await submit(node, { ...foreign, lost: '1' }, visit);
  t.strictSame([lost.statusCode, lost.headers.location], [200, undefined]);
  t.match(lost.payload, 'go back and send it again');
  t.ok(lost.headers['set-cookie']);
});

t.test('a script that submits work needs no image, even where pages without scripts do', async (t) => {
  for (const env of [{}, { CAPTCHA_NO_SCRIPT: 'image' }]) {
    const node = await openGate(t, {}, env);
    const refused = await submit(node, { pow_token: 'a'.repeat(40), pow_nonce: '0' });
    t.equal(refused.statusCode, 422);
    t.match(refused.json(), { code: 'pow_invalid', captcha_required: false });
    const spent = await workOf(node);
    t.equal((await submit(node, spent)).statusCode, 200);
    t.match((await submit(node, spent)).json(), { code: 'pow_invalid', captcha_required: false });
  }
});

t.test('a request body sent with another method is lost, and the page says so', async (t) => {
  const node = await openGate(t);
  t.notMatch((await ask(node, { headers: BROWSER })).payload, 'was not delivered. After');
  const posted = await ask(node, { method: 'POST', headers: BROWSER });
  t.match(posted.payload, 'What you have just sent was not delivered.');
  t.match(posted.payload, 'data-back="Go back"');
});

t.test('where an image is required, work alone is not enough', async (t) => {
  const node = await openGate(t, { image: true });
  const page = await ask(node, { headers: BROWSER });
  t.match(page.payload, /<tollgate-challenge[^>]* captcha-required="" captcha-alternatives="effort">/);
  const refused = await submit(node, await workOf(node));
  t.match(refused.json(), {
    code: 'captcha_invalid',
    captcha_required: true,
    captcha_alternatives: ['effort'],
  });
  const headers = { 'x-forwarded-host': 'www.example.com', 'x-forwarded-for': '203.0.113.7' };
  const issued = await node.inject({ method: 'GET', url: '/api/captcha', headers });
  const { token, answer, url } = issued.json();
  t.equal(url, `${SITE}/api/captcha/${token}.png`, 'the image is of the site, whose policy allows no other');
  const solved = await submit(node, { ...(await workOf(node)), captcha_token: token, captcha: answer });
  t.equal(solved.statusCode, 200);
  t.equal(
    new URL((await node.get('/api/captcha')).json().url).origin,
    'http://localhost:8080',
    'elsewhere as ever',
  );
});

t.test('submissions are limited by address', async (t) => {
  const node = await openGate(t, {}, { RATE_LIMIT_GATE: '2' });
  const submitted = async () => (await submit(node, {})).statusCode;
  t.strictSame([await submitted(), await submitted(), await submitted()], [422, 422, 429]);
  t.match((await submit(node, {})).headers['retry-after'], /^\d+$/, 'for which the page waits');
});

t.test(
  'ten thousand mutated cookies, headers and addresses: none passes, and none causes a server error',
  async (t) => {
    const node = await openGate(t, { rules: [{ action: 'pass', paths: ['/open/*'] }], feeds: ['/feed.xml'] });
    const cookie = await passOf(node);
    const value = cookie.slice(NAME.length + 1);
    const random = seeded(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const alphabet = [...'ABCxyz019%+/=;,\t "\\', '%00', '%0a', '%25', '..', '//', 'é', 'ÿ'];
    const mutate = (text: string) => {
      const at = Math.floor(random() * (text.length + 1));
      const kind = Math.floor(random() * 4);
      const inserted = pick(alphabet);
      if (kind === 0) return text.slice(0, at) + inserted + text.slice(at);
      if (kind === 1) return text.slice(0, at) + inserted + text.slice(at + 1);
      if (kind === 2) return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 9));
      return text.slice(0, at) + text.slice(0, at);
    };
    const shapes: ((n: number) => Parameters<typeof ask>[1])[] = [
      () => ({ cookie: `${NAME}=${mutate(value)}` }),
      () => ({ cookie: `${mutate(NAME)}=${value}` }),
      () => ({ cookie, ip: pick(['198.51.100.1', mutate('10.1.2.3'), '::1, x', '2001:db8::1', 'é']) }),
      () => ({ target: `/open/${mutate('../')}${mutate('admin')}/..` }),
      () => ({
        target: pick([
          '/feed.xml/..',
          '/robots.txt;',
          '/open/%2e./a',
          '/.well-known/..%2f',
          mutate('/a/b?c=d'),
        ]),
      }),
      () => ({ method: mutate('GET'), target: mutate('/a'), headers: { accept: mutate(BROWSER.accept) } }),
      () => ({
        headers: {
          ...BROWSER,
          'x-forwarded-host': mutate('www.example.com'),
          'accept-language': mutate('fr-FR,de;q=0.5'),
        },
      }),
      () => ({
        headers: {
          ...BROWSER,
          'x-forwarded-host': mutate('www.example.com').slice(4),
          'user-agent': mutate('Googlebot'),
        },
      }),
    ];
    const wrong: unknown[] = [];
    for (let n = 0; n < 10_000; n++) {
      const visit = shapes[n % shapes.length]!(n);
      if (visit?.cookie === cookie && visit.ip === undefined) continue;
      const { statusCode } = await ask(node, visit);
      // A mutation may leave a pass unchanged or give it another valid spelling.
      const isWhole =
        visit?.ip === undefined && cookieValues(visit?.cookie, NAME).includes(decodeURIComponent(value));
      if (statusCode !== 403 && !(statusCode === 204 && isWhole)) wrong.push([statusCode, visit]);
    }
    t.strictSame(wrong, []);
    t.equal((await ask(node, { cookie })).statusCode, 204, 'the pass is as good as before');
  },
);

t.test('ten thousand mutated forms: none yields a pass, and none causes a server error', async (t) => {
  const node = await openGate(t);
  const random = seeded(8);
  const values = [
    '',
    'a',
    'a'.repeat(40),
    '0',
    '-1',
    '__proto__',
    '\0',
    'é'.repeat(50),
    '//evil',
    '9'.repeat(400),
  ];
  const names = [
    'pow_token',
    'pow_nonce',
    'captcha',
    'captcha_token',
    'return',
    'lost',
    '__proto__',
    'constructor',
  ];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const wrong: unknown[] = [];
  for (let n = 0; n < 10_000; n++) {
    const fields = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => [pick(names), pick(values)] as const,
    );
    const isJson = n % 2 === 0;
    const { statusCode, headers } = await node.inject({
      method: 'POST',
      url: '/api/captcha/gate/pass',
      headers: {
        'x-forwarded-host': 'www.example.com',
        'x-forwarded-for': '203.0.113.7',
        'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        // Pages take longest to render, so a sample of them is enough.
        accept: n % 5 !== 0 ? 'application/json' : pick(['application/json', BROWSER.accept, '*/*', 'é']),
      },
      payload: isJson
        ? JSON.stringify(
            pick<unknown>([Object.fromEntries(fields), fields, 7, null, { pow_token: { a: 1 } }]),
          )
        : new URLSearchParams(fields.map(([name, value]) => [name, value] as [string, string])).toString(),
    });
    if (statusCode >= 500 || statusCode < 400 || headers['set-cookie'] !== undefined)
      wrong.push([statusCode, fields]);
  }
  t.strictSame(wrong, []);
});

/** Pseudorandom numbers from 0 to 1, the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
