// The samples of docs/challenges/javascript.md and of the package's README, run as written.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { freePort } from '@tollgate/test-support/free-port.js';
import { codeBlocks } from '@tollgate/tests/docs/markdown.js';
import { readProjectFile } from '@tollgate/tests/docs/project-file.js';
import { SECRET, startGuardedForms } from '@tollgate/tests/examples/guarded-forms.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { oddBodies } from './odd-bodies.js';

const forms = await startGuardedForms(t);
const page = readProjectFile('docs/challenges/javascript.md');
const [onRequests = '', ...others] = codeBlocks(page, 'js');
const [onNode = '', withAccounts = '', atTheEdge = '', ...more] = codeBlocks(
  readProjectFile('packages/verify/README.md'),
  'js',
);
const environment = {
  PATH: process.env.PATH,
  HOST_API_URL: forms.hostApi,
  HOST_API_KEY: forms.hostKey,
};

/** Writes a sample where its imports are found, with the addresses of the running service. */
function write(t: Test, code: string): string {
  const parent = join(projectRoot, 'lab', 'dist', 'samples');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'sample-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sample.mjs');
  const addressed = code
    .replace('http://127.0.0.1:9002', forms.hostApi)
    .replace('https://gate.example/api/captcha/siteverify', forms.siteverify);
  writeFileSync(file, addressed);
  return file;
}

/** Runs a program; resolves with its address once it responds. */
async function run(t: Test, file: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [file], {
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const address = `http://127.0.0.1:${port}`;
  while (child.exitCode === null) {
    const isUp = await fetch(address).then(
      () => true,
      () => false,
    );
    if (isUp) return address;
    await pause(20);
  }
  throw new Error(`the sample has ended with ${child.exitCode}`);
}

const load = (t: Test, code: string) => import(pathToFileURL(write(t, code)).href);

t.test('every sample is run', async (t) => {
  t.strictSame([others, more], [[], []]);
});

t.test('a handler of web requests', async (t) => {
  Object.assign(process.env, { HOST_API_URL: forms.hostApi, HOST_API_KEY: forms.hostKey });
  const { contact } = await load(t, onRequests);
  const post = async (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const response = await contact(new Request('https://shop.example/contact', { method: 'POST', body }));
    return { status: response.status, json: await response.json() };
  };
  const work = await forms.work();
  t.strictSame(await post(work), { status: 200, json: { sent: true } });
  t.match(await post(work), { status: 422, json: { code: 'pow_invalid', message: String } });
});

t.test('a server of Node', async (t) => {
  const address = await run(t, write(t, onNode));
  const post = async (body: BodyInit) => {
    const response = await fetch(address, { method: 'POST', body });
    return { status: response.status, json: await response.json() };
  };
  const work = await forms.work();
  t.strictSame(await post(new URLSearchParams(work)), { status: 200, json: { sent: true } });
  t.match(await post(new URLSearchParams(work)), { status: 422, json: { code: 'pow_invalid' } });
  t.match(await post(JSON.stringify(await forms.work())), { status: 200 });
  for (const [, body] of oddBodies) t.match(await post(body), { status: 422, json: { code: 'pow_invalid' } });
});

t.test('a login', async (t) => {
  Object.assign(process.env, {
    HOST_API_KEY: forms.hostKey,
    DEMO_EMAIL: 'ann@example.com',
    DEMO_PASSWORD: 'a password of this test',
  });
  const { signIn } = await load(t, withAccounts);
  const login = async (password: string, scope?: string, image = {}) =>
    signIn({ email: ' Ann@example.com', password, ...(await forms.work(scope)), ...image }, '203.0.113.7');
  const first = await login('wrong');
  t.match(first, { status: 422, body: { code: 'login_failed', captcha_required: false, pow_scope: String } });
  const { pow_scope: scope } = first.body;
  t.match(await login('wrong', scope), { body: { code: 'login_failed', captcha_required: true } });
  t.match(await login('a password of this test', scope), { status: 422, body: { code: 'captcha_required' } });
  t.strictSame(await login('a password of this test', scope, await forms.image()), {
    status: 200,
    body: { email: 'ann@example.com' },
  });
  t.equal((await login('a password of this test')).status, 200, 'cheap again');
});

t.test('a worker', async (t) => {
  const { default: worker } = await load(t, atTheEdge);
  const post = async (receipt: string) => {
    const body = new URLSearchParams({ 'cf-turnstile-response': receipt });
    const request = new Request('https://shop.example/contact', { method: 'POST', body });
    return (await worker.fetch(request, { TOLLGATE_SECRET: SECRET })).status;
  };
  const receipt = await forms.receipt({ action: 'contact' });
  t.strictSame([await post(receipt), await post(receipt)], [200, 422]);
});
