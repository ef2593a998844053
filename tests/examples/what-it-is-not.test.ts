// The examples of docs/what-it-is-not.md, run as written with running services.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t from 'tap';
import { codeBlocks } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { freePorts } from '../launcher/launch.js';
import { startServiceHere } from '../system/services-here.js';

interface User {
  readonly id: string;
  readonly secret: string;
  lastStep: number;
}

interface SecondFactor {
  digitsOf(secret: string, step: number): string;
  verifyDigits(user: User, digits: string): Promise<string | undefined>;
}

const skip = ['bash', 'curl', 'sed'].every((name) => spawnSync(name, ['--version']).status === 0)
  ? false
  : 'no shell with curl';
const API_KEY = 'session-key-of-the-application-012345';
const ANN = { id: 'u-ann', email: 'ann@example.com' };

const folder = t.testdir();
const auditLog = join(folder, 'audit.log');
const system = await startSystem({
  startService: startServiceHere,
  environment: {
    ...freePorts,
    DATA_DIR: folder,
    AUDIT_LOG: auditLog,
    SESSION_API_KEY: API_KEY,
    CAPTCHA_POW_ENABLED: 'false',
    CAPTCHA_ESCALATION_AFTER: '100',
  },
});
t.teardown(() => system.stop());
const adminAddress = `http://127.0.0.1:${system.ports.sessionAdmin}`;

/** A code block of the page, with this system's ports. */
function sample(language: string, part: string): string {
  const block = codeBlocks(readProjectFile('docs/what-it-is-not.md'), language).find((code) =>
    code.includes(part),
  );
  if (block === undefined) throw new Error(`no sample on the page contains ${part}`);
  return block
    .replaceAll('http://127.0.0.1:9001', adminAddress)
    .replaceAll('http://localhost:8080', system.address);
}

/** @param input a file, open for reading */
async function run(command: string, args: readonly string[], input?: number): Promise<string> {
  const child = spawn(command, args, {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, HOME: folder, DATA_DIR: folder, SESSION_API_KEY: API_KEY },
    stdio: [input ?? 'ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const [status] = await once(child, 'close');
  t.equal(status, 0, command);
  return out;
}

const runShell = (part: string) => run('bash', ['-euo', 'pipefail', '-c', sample('sh', part)]);

async function post(path: string, body: object, token?: string): Promise<{ status: number; json: object }> {
  const response = await fetch(system.address + path, {
    method: 'POST',
    headers: {
      origin: system.address,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as object };
}

async function introspect(token: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${adminAddress}/introspect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: new URLSearchParams({ token }),
  });
  return (await response.json()) as Record<string, unknown>;
}

const accessTokenOf = (json: object) => (json as { accessToken: string }).accessToken;
const password = /"new_password":"([^"]+)"/.exec(sample('sh', 'new_password'))?.[1] ?? '';
const logIn = (word: string) => post('/login', { email: ANN.email, password: word });

t.test('registration adds a user and logs the user in', { skip }, async (t) => {
  const out = await runShell('users -- import');
  const [added, tokens = ''] = out.trimEnd().split('\n');
  t.equal(added, 'added 1 user');
  const { accessToken } = JSON.parse(tokens);
  t.match(await introspect(accessToken), { active: true, sub: ANN.id, email: ANN.email });
  t.match(await logIn(password), { status: 422, json: { code: 'login_failed' } }, 'no password yet');

  await t.test('a forgotten password is set, and ends the session', async (t) => {
    t.equal(await runShell('new_password'), '');
    t.same(await introspect(accessToken), { active: false });
    t.equal((await logIn(password)).status, 200);
  });
});

t.test('a second factor steps the session up, once per time step', { skip }, async (t) => {
  const file = join(t.testdir({ 'second-factor.mjs': sample('js', 'digitsOf') }), 'second-factor.mjs');
  process.env.SESSION_API_KEY = API_KEY;
  t.teardown(() => delete process.env.SESSION_API_KEY);
  const { digitsOf, verifyDigits }: SecondFactor = await import(pathToFileURL(file).href);
  const secret = '12345678901234567890';
  // RFC 6238, appendix B, without the first two of eight digits.
  t.equal(digitsOf(secret, Math.floor(59 / 30)), '287082');
  t.equal(digitsOf(secret, Math.floor(1_111_111_109 / 30)), '081804');
  t.equal(digitsOf(secret, Math.floor(20_000_000_000 / 30)), '353130');

  const token = accessTokenOf((await logIn(password)).json);
  t.strictSame((await introspect(token)).amr, ['pwd']);
  const user = { id: ANN.id, secret, lastStep: 0 };
  const digits = digitsOf(secret, Math.floor(Date.now() / 30_000));
  t.equal(await verifyDigits(user, digits === '000000' ? '000001' : '000000'), undefined);
  const code = await verifyDigits(user, digits);
  t.equal(await verifyDigits(user, digits), undefined, 'the same digits again');
  const { status, json } = await post('/reauthenticate/code', { code }, token);
  t.equal(status, 200);
  const claims = await introspect(accessTokenOf(json));
  t.strictSame(claims.amr, ['pwd', 'otp']);
  t.ok(Math.abs(Number(claims.auth_time) - Date.now() / 1000) < 120);
});

t.test('the audit stream names the users who get a mail', { skip }, async (t) => {
  const file = join(t.testdir({ 'notices.mjs': sample('js', 'createInterface') }), 'notices.mjs');
  const mails = (await run(process.execPath, [file], openSync(auditLog, 'r'))).trimEnd().split('\n');
  t.same(
    mails.map((line) => line.replace(/ \S+$/, '')),
    [
      `${ANN.id} New login`,
      `${ANN.id} Your password was changed`,
      `${ANN.id} New login`,
      `${ANN.id} New login`,
    ],
  );
});
