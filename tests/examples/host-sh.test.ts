// docs/examples/host.sh, a host in the shell, with the running services.

import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { examples, startHostedSystem } from './hosts.js';

const script = join(examples, 'host.sh');
const KEY = `some"one\\@example.com`;
const IP = '203.0.113.7';
const skip = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(environment: Record<string, string>, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn('/bin/sh', [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, out, err };
}

t.test('a host in the shell', { skip }, async (t) => {
  const system = await startHostedSystem(t);
  const host = (...args: string[]) => run(system.hostEnvironment, ...args);
  const check = async (key: string, scope?: string, withImage = false) => {
    const { pow_token, pow_nonce } = await system.work(scope);
    const image = withImage ? Object.values(await system.image()) : [];
    return host('check', key, IP, pow_token, pow_nonce, ...image);
  };

  await t.test('lets a solved submission pass, once', async (t) => {
    const { pow_token, pow_nonce } = await system.work();
    const first = await host('check', '', '', pow_token, pow_nonce);
    t.strictSame(first, { status: 0, out: '{"success":true,"captcha_required":false}\n', err: '' });
    const second = await host('check', '', '', pow_token, pow_nonce);
    t.equal(second.status, 1);
    t.match(JSON.parse(second.out), { success: false, code: 'pow_invalid', errors: { pow_nonce: [String] } });
  });

  await t.test('raises the price of an account with failures, and clears it', async (t) => {
    const failure = await host('fail', KEY);
    t.equal(failure.status, 0);
    const { failures, pow_scope: scope, try: id } = JSON.parse(failure.out);
    t.equal(failures, 1);
    t.match(await check(KEY), { status: 1, out: /"code":"pow_insufficient"/ });
    t.match(await check(KEY, scope), { status: 0 });
    await host('fail', KEY);
    t.match(await check(KEY, scope), { status: 1, out: /"code":"captcha_required"/ });
    t.match(await check(KEY, scope, true), { status: 0 });
    t.strictSame(await host('withdraw', KEY, id), { status: 0, out: '', err: '' });
    t.match(await check(KEY, scope), { status: 0 });
    t.strictSame(await host('clear', KEY, IP), { status: 0, out: '', err: '' });
    t.match(await check(KEY), { status: 0 });
  });

  await t.test('counts a passing attempt, and rejects the next one at the same price', async (t) => {
    const attempt = async () => {
      const { pow_token, pow_nonce } = await system.work();
      return host('attempt', 'another@example.com', IP, pow_token, pow_nonce);
    };
    const first = await attempt();
    t.equal(first.status, 0);
    t.match(JSON.parse(first.out), { success: true, failures: 1, try: /^[0-9a-f]{32}$/ });
    t.match(await attempt(), { status: 1, out: /"code":"pow_insufficient"/ });
  });

  await t.test('prints one line per error, with status 2', async (t) => {
    const lines: [Ended, RegExp][] = [
      [await host(), /^usage: /],
      [await host('check', KEY), /^usage: /],
      [await host('fail', 'a\nb'), /^control characters/],
      [await host('check', 'a\tb', IP, 'x', 'y'), /^control characters/],
      [await host('check', KEY, 'nowhere', 'x', 'y'), /^the host API answered 422/],
      [
        await run({ ...system.hostEnvironment, HOST_API_KEY: 'wrong' }, 'fail', KEY),
        /^the host API answered 401/,
      ],
      [
        await run({ ...system.hostEnvironment, HOST_API_URL: 'http://127.0.0.1:1' }, 'fail', KEY),
        /does not respond/,
      ],
    ];
    for (const [{ status, err }, words] of lines) {
      t.equal(status, 2);
      t.match(err, words);
      t.notOk(err.includes(system.hostKey));
    }
    t.not((await run({}, 'fail', KEY)).status, 0, 'without a key');
  });
});
