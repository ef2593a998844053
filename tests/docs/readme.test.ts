// The form of the README and the shell login of docs/sessions/login.md, run as written.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@tollgate/test-support/free-port.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { launchBrowser } from '../browser/chromium.js';
import { startServiceHere } from '../system/services-here.js';
import { codeBlocks } from './markdown.js';
import { readProjectFile } from './project-file.js';

const readme = readProjectFile('README.md');
const hasShell = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);
const freePorts = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
};

const clone = t.testdir({});
const examplePort = await freePort();
const exampleAddress = `http://localhost:${examplePort}`;
// The default price, and the effort that grows with it, would take most of the time; the programs are the same.
const cheap = { CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '4' };
const system = await startSystem({
  startService: startServiceHere,
  environment: { DATA_DIR: join(clone, 'data'), ...freePorts, ...cheap, CORS_ORIGIN: exampleAddress },
});
t.teardown(() => system.stop());

t.test('the shell login works as written', { skip: !hasShell }, async (t) => {
  const block =
    codeBlocks(readProjectFile('docs/sessions/login.md'), 'sh').find((code) =>
      code.includes('tools/solve.js'),
    ) ?? '';
  const script = block
    .replace('address=http://localhost:8080', `address=${system.address}`)
    .replace('password=the-one-printed', `password=${system.demo?.password}`);
  t.not(script, block);
  // One response per line; the cookie file is where the test cleans up.
  const lines = script.replace(/^curl .*$/gm, '$&; echo').replace('mktemp', `mktemp -p ${t.testdir({})}`);
  const wrong = lines.replace(/^password=.*$/m, 'password=a-wrong-one');
  for (let failures = 0; failures < 4; failures++) {
    const { code, out } = await run('bash', ['-euo', 'pipefail', '-c', lines]);
    t.equal(code, 0);
    const [answers, signedIn] = [
      out.split('\n'),
      out.split('\n').findIndex((line) => line.includes('accessToken')),
    ];
    const [profile = '', refreshed = '', ended] = answers.slice(signedIn + 1);
    for (const refusal of answers.slice(0, signedIn)) {
      t.match(JSON.parse(refusal).code, /^(captcha_required|pow_insufficient)$/);
    }
    t.same(JSON.parse(profile), { id: 1, email: 'demo@example.com' }, `after ${failures} wrong passwords`);
    t.same(Object.keys(JSON.parse(refreshed)), ['accessToken', 'expiresIn']);
    t.equal(ended, '', 'DELETE returns 204 without a body');

    for (let n = 0; n <= failures && failures < 3; n++) {
      const refused = (await run('bash', ['-euo', 'pipefail', '-c', wrong])).out.split('\n');
      t.ok(
        refused.some((line) => line.includes('"code":"login_failed"')),
        'the rejection of a wrong password is shown',
      );
    }
  }
});

t.test('the form behind the guard works as written', { skip: !hasShell }, async (t) => {
  const url = await startExample(t);
  await t.test('its page is sent in a browser', async (t) => {
    const browser = await launchBrowser();
    t.teardown(() => browser.close());
    const page = await browser.newPage();
    await page.goto(url);
    await page.fill('[name=email]', 'ann@example.com');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('{"subscribed":true}').waitFor();
  });
  const submit = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  const work = await solve(system.address);
  t.same(await submit('/subscribe', { email: 'a@example.com', ...work }), {
    status: 200,
    body: { subscribed: true },
  });
  t.same(await submit('/subscribe', { email: 'a@example.com', ...work }), {
    status: 422,
    body: {
      captcha_required: false,
      message: 'The security check has failed. Please try again.',
      code: 'pow_invalid',
      errors: { pow_nonce: ['The security check was not solved.'] },
    },
  });
  t.match(await submit('/subscribe', {}), {
    status: 422,
    body: { code: 'pow_invalid', errors: { pow_token: [String], pow_nonce: [String] } },
  });
  t.match(await submit('/contact', await solve(system.address)), {
    status: 422,
    body: { code: 'captcha_invalid', errors: { captcha_token: [String], captcha: [String] } },
  });
});

/** Runs the example beside the system, with the commands of the README, and resolves with its address once it responds. */
async function startExample(t: Test): Promise<string> {
  const [code = ''] = codeBlocks(readme, 'js');
  const page = codeBlocks(readme, 'html').find((html) => html.includes('/subscribe')) ?? '';
  const block = codeBlocks(readme, 'sh').find((sh) => sh.includes('node app.mjs')) ?? '';
  // Inside the project, so that its imports resolve as in a workspace.
  const folder = t.testdir({
    'app.mjs': code,
    'index.html': page.replace('http://localhost:8080', system.address),
  });
  const commands = block.replace('/path/to/tollgate', clone).replace('node app.mjs', 'exec node app.mjs');
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: String(examplePort), ...cheap },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended(child);
  });
  while (child.exitCode === null) {
    if (
      await fetch(exampleAddress).then(
        () => true,
        () => false,
      )
    )
      return exampleAddress;
    await pause(20);
  }
  throw new Error(`the example ended with ${child.exitCode}`);
}

async function solve(address: string): Promise<object> {
  return JSON.parse((await run(process.execPath, ['tools/solve.js', address])).out);
}

async function run(command: string, args: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(command, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  await once(child, 'close');
  return { code: child.exitCode, out };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
