// Submissions without solved work revealed whether an account had failures, and so when its owner logged in.

import t, { type Test } from 'tap';
import { missSolution } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';
import type { Answer } from './client.js';
import { CHEAP, eachStore, type Site } from './site.js';

t.setTimeout(300_000);

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
