// Attacks that once succeeded against an account or an image.

import { createHash } from 'node:crypto';
import { findHashwxNumbers } from '@tollgate/test-support/find-hashwx-numbers.js';
import t, { type Test } from 'tap';
import { missSolution, solveEffort, solveFullPrice } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import type { Answer, Client } from './client.js';
import { CHEAP, eachStore, onRedis, type Site, type User } from './site.js';

const GUESSES = 12;
// A HashWX price that makes most efforts cheap here: counting does not depend on the algorithm.
const ALGORITHMS = { CAPTCHA_POW_ALGORITHMS: 'sha256,hashwx-1=1000' };

// Owners paid for attackers: deliberate failures raised the price of the owner's login and required an image.
t.test('a known device', (t) => onRedis(t, CHEAP, knownDevice));

/** The device cookie of a response, as a browser sends it. */
function deviceOf({ cookies }: Answer): string {
  return cookies.find((text) => text.startsWith('knownDevice='))?.split(';')[0] ?? '';
}

async function knownDevice(t: Test, site: Site): Promise<void> {
  /** Fails from other addresses until the account is at the ceiling. */
  const attack = async ({ email }: Pick<User, 'email'>) => {
    for (let n = 0; n < 6; n++) {
      await site.tryLogIn({ email, password: 'wrong' }, { ip: site.newAddress(), body: await site.image() });
    }
  };
  /** A login with a page's first work, at the base price, and no image. */
  const plainLogIn = async (user: Pick<User, 'email' | 'password'>, cookie: string) => {
    const ip = site.newAddress();
    const body = { email: user.email, password: user.password, ...(await site.work({ ip })) };
    return site.session.post('/login', { ip, body, headers: { cookie } });
  };

  await t.test('its owner logs in under attack at the base price, again and again', async (t) => {
    const user = await site.newUser();
    let device = deviceOf((await site.logIn(user)).answer);
    for (let n = 0; n < 3; n++) {
      await attack(user);
      t.match((await plainLogIn(user, '')).json, { code: 'pow_insufficient', captcha_required: true });
      const answer = await plainLogIn(user, device);
      t.equal(answer.status, 200);
      device = deviceOf(answer);
    }
  });

  await t.test('after a typing error the next work is priced for the device', async (t) => {
    const user = await site.newUser();
    const device = deviceOf((await site.logIn(user)).answer);
    await attack(user);
    const wrong = await plainLogIn({ ...user, password: 'wrong' }, device);
    t.match(wrong, { status: 422, json: { code: 'login_failed', captcha_required: false } });
    const ip = site.newAddress();
    const scope = wrong.json.pow_scope;
    t.equal((await site.challenge.get(`/api/captcha/pow?scope=${scope}`, { ip })).json.difficulty, 3);
    const body = { ...user, ...(await site.work({ ip, scope })) };
    const right = await site.session.post('/login', { ip, body, headers: { cookie: device } });
    t.equal(right.status, 200);
  });

  await t.test('the cookie of another account changes no response', async (t) => {
    const [owner, victim] = [await site.newUser(), await site.newUser()];
    const unknown = { email: site.newEmail(), password: 'wrong' };
    const device = deviceOf((await site.logIn(owner)).answer);
    await attack(victim);
    await attack(unknown);
    for (const account of [victim, unknown]) {
      for (const password of ['wrong', account.password]) {
        const answers = [];
        for (const cookie of ['', device]) {
          const answer = await plainLogIn({ ...account, password }, cookie);
          const { date: _date, 'ratelimit-reset': _reset, ...headers } = answer.headers;
          const { pow_scope: scope, ...body } = answer.json;
          answers.push({ status: answer.status, headers, body, scope: scope?.length });
        }
        t.strictSame(answers[1], answers[0]);
      }
    }
  });

  await t.test('the security events mark logins from a known device', async (t) => {
    const user = await site.newUser();
    const device = deviceOf((await site.logIn(user)).answer);
    await plainLogIn({ ...user, password: 'wrong' }, device);
    t.match((await site.events('login')).at(-1), { known_device: false });
    t.match((await site.events('login_failed')).at(-1), { known_device: true });
  });
}

// Submissions without solved work revealed whether an account had failures, and so when its owner logged in.
t.test('without solved work nothing is revealed of an account', (t) =>
  eachStore(t, CHEAP, oracle, startServiceHere),
);

async function oracle(t: Test, site: Site): Promise<void> {
  const accounts = await openAccounts(site);
  const image = { captcha_token: 'a'.repeat(40), captcha: 'xxxxxx' };

  for (const [what, fields] of Object.entries(submissions(site))) {
    for (const [beside, more] of [
      ['no image', {}],
      ['an image', image],
    ] as const) {
      await t.test(`${what}, ${beside}`, async (t) => {
        const answers: Record<string, object> = {};
        const costs: Record<string, number> = {};
        for (const [name, email] of Object.entries(accounts)) {
          const ip = site.newAddress();
          const body = { email, password: 'wrong', ...(await fields(ip)), ...more };
          const send = async () => {
            answers[name] = wholeOf(await site.session.post('/login', { ip, body }));
          };
          if (site.redis === undefined) await send();
          else costs[name] = (await site.redis.commands(send)).filter(isOfRequest).length;
        }
        const { fresh, ...others } = answers;
        t.match(fresh, { status: 422, json: { captcha_required: beside === 'an image' } });
        t.notOk(JSON.stringify(fresh).includes('pow_scope'));
        for (const [name, answer] of Object.entries(others)) t.strictSame(answer, fresh, name);
        t.equal(new Set(Object.values(costs)).size <= 1, true, 'nor does one need more store commands');
      });
    }
  }
}

/** Accounts in every state that a response could reveal. */
async function openAccounts(site: Site): Promise<Record<string, string>> {
  const fresh = await site.newUser();
  const failed = await site.newUser();
  const demanded = await site.newUser();
  const cleared = await site.newUser();
  const disabled = await site.newUser();
  const [unknown, unknownFailed] = [site.newEmail(), site.newEmail()];
  await site.directory.setDisabled(disabled.email.toLowerCase(), true);
  const fail = async (email: string, times: number) => {
    for (let n = 0; n < times; n++) {
      const ip = site.newAddress();
      const { status } = await site.tryLogIn({ email, password: 'wrong' }, { ip, body: await site.image() });
      if (status !== 422) throw new Error(`a wrong password returned ${status}`);
    }
  };
  await fail(failed.email, 1);
  await fail(demanded.email, 3);
  await fail(unknownFailed, 3);
  await fail(cleared.email, 1);
  await site.logIn(cleared);
  return {
    fresh: fresh.email,
    failed: failed.email,
    demanded: demanded.email,
    'just logged in': cleared.email,
    disabled: disabled.email,
    unknown,
    'unknown, with failures': unknownFailed,
  };
}

/** Values sent in place of solved work. */
function submissions(site: Site): Record<string, (ip: string) => Promise<object>> {
  return {
    'no password': async () => ({ password: undefined }),
    'no work': async () => ({}),
    'malformed work': async () => ({ pow_token: 'x', pow_nonce: '01' }),
    'unknown work': async () => ({ pow_token: 'b'.repeat(40), pow_nonce: '1' }),
    'unsolved work': async (ip) => {
      const work = (await site.challenge.get('/api/captcha/pow', { ip })).json;
      return { pow_token: work.token, pow_nonce: missSolution(work) };
    },
    'spent work': async (ip) => {
      const work = await site.work({ ip });
      await site.session.post('/login', { ip, body: { ...(await site.newUser()), ...work } });
      return work;
    },
  };
}

/** Status, headers without times, and body. */
function wholeOf({ status, headers, json }: Answer): object {
  const { date: _date, 'ratelimit-reset': _reset, ...rest } = headers;
  return { status, headers: rest, json };
}

/** Without commands of the process itself: revocations, marks, reports, connections. */
function isOfRequest(command: string): boolean {
  return !/^(?:xread|info|hello|client|select|ping)\b| (?:session:keys|captcha:options|captcha:\{load\})/.test(
    command,
  );
}

// Of 12 parallel guesses with effort fetched before any of them failed, 11 reached the password.
t.test('parallel guesses with effort', (t) =>
  eachStore(t, { ...CHEAP, ...ALGORITHMS }, guesses, startServiceHere),
);

async function guesses(t: Test, site: Site): Promise<void> {
  const { email } = await site.newUser();
  const scope = encodeURIComponent(await site.scopeOf(email));
  const issue = async (path: string) => (await site.gateway.get(`/api/captcha${path}scope=${scope}`)).json;
  const submissions: object[] = [];
  for (let n = 0; n < GUESSES; n++) {
    const work = await issue('/pow?');
    // In SHA-256 the smallest effort takes four million hashes.
    const inSha256 = n % 4 === 0;
    const effort = await issue(`?preset=effort&algorithms=${inSha256 ? '' : 'hashwx-1,'}sha256&`);
    submissions.push({
      email,
      password: 'wrong',
      pow_token: work.token,
      pow_nonce: await solveFullPrice(work),
      captcha_token: effort.token,
      captcha: inSha256 ? await solveEffort(effort) : findHashwxNumbers(effort),
    });
  }
  const before = (await site.events('login_failed')).length;
  const answers = await Promise.all(
    submissions.map((body) => site.session.post('/login', { ip: site.newAddress(), body })),
  );
  const codes = answers.map(({ json }) => json.code);
  const looked = codes.filter((code) => code === 'login_failed').length;
  t.ok(looked >= 1 && looked <= 3, `${looked} of ${GUESSES} passwords were checked`);
  t.equal((await site.events('login_failed')).length, before + looked);
  for (const code of codes) t.match(code, /^(login_failed|pow_insufficient|captcha_invalid)$/);
}

// Two processes of the challenge service draw one challenge's image.
t.test('the image averaged over redraws', (t) => onRedis(t, CHEAP, averagedImage));

async function averagedImage(t: Test, site: Site): Promise<void> {
  const nodes = [site.challenge, await site.addChallengeService()] as const;

  await t.test('100 fetches through two processes are one hash, whichever issued it', async (t) => {
    for (const issuer of nodes) {
      const path = `/api/captcha/${(await issuer.get('/api/captcha')).json.token}.png`;
      const hashes = await Promise.all(Array.from({ length: 100 }, (_, n) => fetchHash(nodes[n % 2]!, path)));
      t.equal(new Set(hashes).size, 1);
      t.match(hashes[0], /^200 image\/png [0-9a-f]{64}$/);
    }
  });
}

/** The result of a redraw; repeated while the drawing queue is full. */
async function fetchHash(node: Client, path: string): Promise<string> {
  let answer: Answer;
  do answer = await node.get(path);
  while (answer.status === 503);
  const { status, headers, bytes } = answer;
  return `${status} ${headers['content-type']} ${createHash('sha256').update(bytes).digest('hex')}`;
}
