// Many concurrent requests, through two session-service processes on one store.

import t, { type Test } from 'tap';
import type { Answer } from './client.js';
import { refusal, refusedUnproven } from './refusals.js';
import { CHEAP, eachStore, type Site } from './site.js';

t.setTimeout(300_000);

t.test('in parallel', (t) => eachStore(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
  const second = await site.addSessionService();
  const nodes = [site.session, second];

  await t.test('of 1,000 submissions of one solved challenge exactly one succeeds', async (t) => {
    const user = await site.newUser();
    const body = { ...user, ...(await site.work()) };
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) => nodes[n % 2]!.post('/login', { body })),
    );
    const others = answers.filter(({ status }) => status !== 200);
    t.equal(others.length, 999);
    const refused = JSON.stringify(refusedUnproven('pow_invalid', { pow_nonce: 'wrong_work' }));
    t.strictSame(
      new Set(others.map((answer) => `${answer.status} ${sorted(answer.json)}`)),
      new Set([`422 ${sorted(JSON.parse(refused))}`]),
    );
    t.equal((await site.events('login')).length, 1);
    t.strictSame(await site.events('login_failed'), []);
  });

  await t.test('of 200 wrong logins with work at the floor price, one reaches the password', async (t) => {
    const account = { email: (await site.newUser()).email, password: 'wrong' };
    const before = (await site.events('login_failed')).length;
    const works = await Promise.all(Array.from({ length: 200 }, () => site.work()));
    const answers = await Promise.all(
      works.map((work, n) =>
        nodes[n % 2]!.post('/login', { ip: site.newAddress(), body: { ...account, ...work } }),
      ),
    );
    const codes = countBy(answers);
    t.equal(codes.get('422 login_failed'), 1);
    t.equal(codes.get('422 pow_insufficient'), 199);
    t.equal((await site.events('login_failed')).length, before + 1);
  });

  await t.test('of 200 with work under its ticket but no image at most two do', async (t) => {
    const account = { email: (await site.newUser()).email, password: 'wrong' };
    const before = (await site.events('login_failed')).length;
    const scope = await site.scopeOf(account.email);
    const works = await Promise.all(Array.from({ length: 200 }, () => site.work({ scope })));
    const answers = await Promise.all(
      works.map((work, n) =>
        nodes[n % 2]!.post('/login', { ip: site.newAddress(), body: { ...account, ...work } }),
      ),
    );
    const codes = countBy(answers);
    t.equal(codes.get('422 login_failed'), 2);
    t.strictSame(others(codes, /^422 (login_failed|captcha_required|pow_insufficient)$/), []);
    t.equal(answers.length, 200);
    t.equal((await site.events('login_failed')).length, before + 2);
  });

  await t.test('the same from one address, where the pair may also be throttled', async (t) => {
    const account = { email: site.newEmail(), password: 'wrong' };
    const before = (await site.events('login_failed')).length;
    const ip = site.newAddress();
    const scope = await site.scopeOf(account.email);
    const works = await Promise.all(Array.from({ length: 200 }, () => site.work({ scope })));
    const answers = await Promise.all(
      works.map((work, n) => nodes[n % 2]!.post('/login', { ip, body: { ...account, ...work } })),
    );
    const codes = countBy(answers);
    t.equal(codes.get('422 login_failed'), 2);
    const known = /^(422 (login_failed|captcha_required|pow_insufficient)|429 login_throttled)$/;
    t.strictSame(others(codes, known), []);
    t.equal((await site.events('login_failed')).length, before + 2);
    const work = await site.work({ scope });
    const body = { ...work, ...(await site.image()) };
    const next = await site.tryLogIn(account, { ip, body });
    t.equal(next.json.code, 'login_failed', 'withdrawn attempts throttle nobody');
  });

  await t.test('a logout at one process is known to the other within a second', async (t) => {
    const { accessToken, cookie } = await site.logIn(await site.newUser());
    const headers = { authorization: `Bearer ${accessToken}` };
    t.equal((await second.get('/profile', { headers })).status, 200);
    t.equal((await site.session.post('/logout', { headers })).status, 204);
    const endedMs = performance.now();
    const own = await site.session.get('/profile', { headers });
    t.strictSame([own.status, own.json], [401, refusal('session_revoked')], 'immediately in its own process');
    let there = await second.get('/profile', { headers });
    while (there.status === 200 && performance.now() - endedMs < 5_000) {
      there = await second.get('/profile', { headers });
    }
    const tookMs = performance.now() - endedMs;
    t.strictSame([there.status, there.json], [401, refusal('session_revoked')]);
    t.ok(tookMs < 1_000, `${Math.round(tookMs)} ms`);
    t.equal((await second.post('/refresh', { headers: { cookie } })).json.code, 'session_revoked');
  });

  await t.test(
    '200 refreshes of one cookie are one step, and every response has the same generation',
    async (t) => {
      const { cookie } = await site.logIn(await site.newUser());
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) => nodes[n % 2]!.post('/refresh', { headers: { cookie } })),
      );
      t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]));
      const cookies = answers.map((answer) => answer.cookies[0]?.split(';')[0] ?? '');
      // All of one generation: each still works, and none is one step behind another.
      await site.age(31_000);
      const [first = '', ...rest] = cookies;
      t.equal((await site.refresh(first)).status, 200);
      const again = await Promise.all(rest.slice(0, 20).map((each) => site.refresh(each)));
      t.strictSame(new Set(again.map(({ status }) => status)), new Set([200]));
      await site.age(31_000);
      t.equal((await site.refresh(again[0]?.cookies[0]?.split(';')[0] ?? '')).status, 200);
      t.equal((await site.refresh(cookie)).status, 401, 'the first one is old by now');
    },
  );
}

/** The responses other than the known ones. */
const others = (codes: Map<string, number>, known: RegExp) =>
  [...codes.keys()].filter((code) => !known.test(code));

const sorted = (body: object) => JSON.stringify(Object.entries(body).sort());

function countBy(answers: readonly Answer[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status, json } of answers) {
    const name = `${status} ${json?.code}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
