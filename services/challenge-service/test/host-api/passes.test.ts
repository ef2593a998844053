// Passes over the host API, and the commands that create, list and revoke passes.

import { openStore } from '@tollgate/shared/store';
import { callCommand } from '@tollgate/test-support/command.js';
import { freePort } from '@tollgate/test-support/free-port.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { runCaptcha } from '../../src/cli/captcha.js';
import { openHostApi, SHOP_KEY } from './host-api-server.js';

t.test("an application accepts its client's pass", async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const passes = (...args: string[]) =>
      callCommand(() => runCaptcha(['passes', ...args], { STORE_URL: url }));
    const api = await openHostApi(t, store);
    const make = ['make', 'uptime', '--application', 'shop', '--days', '2', '--per-minute', '2'];
    const made = await passes(...make);
    t.match(made, { code: 0, error: '' });
    const [pass = '', about] = made.out.split('\n');
    t.match(pass, /^tgp_uptime_[A-Za-z0-9]{43}$/);
    t.match(about, /^for shop, 2 a minute, until \d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    t.match(await passes(...make), { code: 1, out: '', error: /there is a pass named uptime/ });
    t.equal((await passes('list')).out, `uptime  ${about}\n`);

    const shop = { key: SHOP_KEY };
    const verify = async (body: object) => (await api.verify(body, shop)).json;
    t.match(await verify({ captcha_pass: pass, key: 'someone', count: true }), {
      success: true,
      failures: 1,
    });
    const once = { captcha_pass: pass, idempotency_key: 'once' };
    t.match(await verify(once), { success: true });
    t.match(await verify(once), { success: true }, 'a repetition counts once');
    t.match(await verify({ captcha_pass: pass }), {
      success: false,
      code: 'pass_exhausted',
      retry_after: Number,
      captcha_required: false,
    });
    t.match((await api.verify({ captcha_pass: pass })).json, { success: false, code: 'pass_invalid' });
    t.match(await verify({ captcha_pass: { a: 1 } }), { code: 'pass_invalid' });
    t.match(await verify({ captcha_pass: pass, pow: false }), { success: true }, 'nothing to stand in for');
    t.notOk(api.log().includes(pass.slice(-43)), 'neither log nor audit stream has it');
    t.match(api.log(), /"event":"pass_used","application":"shop","pass":"uptime"/);

    t.equal((await passes('revoke', 'uptime')).out, 'revoked uptime: it is rejected from now on\n');
    t.match(await passes('revoke', 'uptime'), { code: 1, error: /there is no pass named uptime/ });
    t.match(await verify({ captcha_pass: pass }), { code: 'pass_invalid' });
    t.equal((await passes('list')).out, 'there are no passes\n');
  });
});

t.test('a wrong command line changes nothing', async (t) => {
  const url = `file:${tempDir(t)}/store.db`;
  const options = ['--application', 'shop', '--days', '2', '--per-minute', '2'];
  const wrong: [string[], RegExp][] = [
    [[], /usage/],
    [['make'], /usage/],
    [['make', 'Up', ...options], /NAME must have/],
    [['make', 'uptime', ...options.slice(2)], /--application must have/],
    [['make', 'uptime', ...options, '--application', 'gate'], /it accepts no passes/],
    [['make', 'uptime', ...options, '--days', '731'], /--days must be a whole number from 1 to 730/],
    [['make', 'uptime', ...options, '--per-minute', '0'], /--per-minute must be a whole number/],
    [['make', 'uptime', ...options, '--days', '02'], /--days must be a whole number/],
    [['make', 'uptime', ...options.slice(0, 4)], /--per-minute must be a whole number from 1 to 10000/],
    [['make', 'uptime', ...options, '--count', '3'], /usage/],
    [['make', 'uptime', 'more', ...options], /usage/],
    [['list', 'uptime'], /usage/],
    [['revoke'], /usage/],
    [['revoke', 'uptime', '--days', '1'], /usage/],
  ];
  for (const [args, message] of wrong) {
    const answer = await callCommand(() => runCaptcha(['passes', ...args], { STORE_URL: url }));
    t.match(answer, { code: 2, out: '', error: message }, args.join(' '));
  }
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  t.match(await callCommand(() => runCaptcha(['passes', 'list'], { STORE_URL: url })), {
    out: 'there are no passes\n',
  });
});

t.test('an unreachable store is named', async (t) => {
  const STORE_URL = `redis://127.0.0.1:${await freePort()}/0`;
  t.strictSame(await callCommand(() => runCaptcha(['passes', 'list'], { STORE_URL })), {
    code: 1,
    out: '',
    error: 'captcha: the store of STORE_URL is unreachable\n',
  });
});
