// Applications of the documents, with running services: custom challenges of docs/examples/custom-kind, checked by every
// host, and the examples of docs/what-it-is-not.md, run as written.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t, { type Test } from 'tap';
import { codeBlocks } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { freePorts } from '../launcher/launch.js';
import { startServiceHere } from '../system/services-here.js';
import { examples, type HostedSystem, shared, startHostedSystem } from './hosts.js';

interface GuestBook {
  listen(at: { port: number; host: string }): Promise<string>;
  close(): Promise<void>;
}

type BuildGuestBook = (options: {
  environment: Record<string, string | undefined>;
  save: (text: string) => Promise<void>;
}) => Promise<GuestBook>;

const exampleFolder = join(examples, 'custom-kind');
const { buildGuestBook } = (await import(pathToFileURL(join(exampleFolder, 'app.js')).href)) as {
  buildGuestBook: BuildGuestBook;
};

const TOOLS = ['hammer', 'saw', 'pliers', 'chisel', 'file', 'spanner'];

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

t.test('the guest book on the embedded store', (t) => guestBook(t, {}));

t.test('the guest book on Redis', async (t) => guestBook(t, { STORE_URL: (await startRedis(t)).url }));

async function guestBook(t: Test, store: { STORE_URL?: string }): Promise<void> {
  const CAPTCHA_MODULE = join(exampleFolder, 'challenges.js');
  const system = await startHostedSystem(t, { ...store, CAPTCHA_MODULE });
  const saved: string[] = [];
  const app = await buildGuestBook({
    environment: {
      ...shared,
      CAPTCHA_MODULE,
      CHALLENGE_SECRET: system.secrets.CHALLENGE_SECRET,
      STORE_URL: system.storeUrl,
    },
    save: async (text) => {
      saved.push(text);
    },
  });
  t.teardown(() => app.close());
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const sign = async (image: object) => {
    const { status, json } = await postEntry(`${address}/entries`, {
      text: 'Good morning.',
      ...(await system.work()),
      ...image,
    });
    return [status, json.code ?? json.saved];
  };

  await t.test('a sum in words is issued, and its answer is accepted once', async (t) => {
    const { token, ...asked } = await issue(system, 'sum');
    t.match(asked, {
      question: /^How much is \w+ and \w+\? Answer in digits\.$/,
      expires_in: 120,
      expires_at: String,
      answer: /^\d+$/,
    });
    t.strictSame(Object.keys(asked).sort(), ['answer', 'expires_at', 'expires_in', 'question']);
    const image = { captcha_token: token, captcha: ` ${asked.answer} ` };
    t.strictSame(await sign(image), [201, true]);
    t.strictSame(await sign(image), [422, 'captcha_invalid']);
    t.equal((await fetch(`${system.address}/api/captcha/${token}.png`)).status, 404, 'it has no image');
  });

  await t.test('characters to type backwards have an image', async (t) => {
    const { token, url, answer, question } = await issue(system, 'backwards');
    t.equal(question, 'Type the characters from right to left.');
    t.equal(answer.length, 4);
    const drawn = await Promise.all([fetch(url), fetch(url)]);
    t.strictSame(
      drawn.map(({ status, headers }) => [status, headers.get('content-type')]),
      [
        [200, 'image/png'],
        [200, 'image/png'],
      ],
    );
    const [one, other] = await Promise.all(drawn.map((image) => image.arrayBuffer()));
    t.same(one, other, 'the same bytes each time');
    t.strictSame(await sign({ captcha_token: token, captcha: answer.toLowerCase() }), [201, true]);
    const forwards = (text: string) => [...text].reverse().join('');
    let second = await issue(system, 'backwards');
    while (forwards(second.answer) === second.answer) second = await issue(system, 'backwards');
    const wrong = { captcha_token: second.token, captcha: forwards(second.answer) };
    t.strictSame(await sign(wrong), [422, 'captcha_invalid']);
  });

  await t.test('a kind with its own check accepts every spelling, at every host', async (t) => {
    const ask = async () => {
      const { token, words, answer } = await issue(system, 'odd');
      t.equal(answer, undefined, 'there is no single right answer to return');
      const numbers = words.flatMap((word, at) => (TOOLS.includes(word) ? [at + 1] : []));
      return { token, numbers };
    };
    const first = await ask();
    t.strictSame(await sign({ captcha_token: first.token, captcha: first.numbers.join(' ') }), [201, true]);
    const second = await ask();
    const turned = second.numbers.toReversed().join(', ');
    t.strictSame(await sign({ captcha_token: second.token, captcha: turned }), [201, true]);
    const wrong = await ask();
    t.strictSame(await sign({ captcha_token: wrong.token, captcha: '1 2 3' }), [422, 'captcha_invalid']);

    const host = await ask();
    const verdict = await postEntry(
      `http://127.0.0.1:${system.ports.challengeAdmin}/host/verify`,
      { ...(await system.work()), captcha_token: host.token, captcha: host.numbers.join() },
      { authorization: `Bearer ${system.hostKey}` },
    );
    t.strictSame(verdict, { status: 200, json: { success: true, captcha_required: false } });

    const login = await ask();
    const { email, password } = system.demo ?? { email: '', password: '' };
    const signedIn = await postEntry(`${system.address}/login`, {
      email,
      password,
      ...(await system.work()),
      captcha_token: login.token,
      captcha: login.numbers.join(),
    });
    t.equal(signedIn.status, 200, 'at a login too');
  });

  await t.test('a preset without a kind draws text in its size', async (t) => {
    const { url } = await issue(system, 'large');
    const png = Buffer.from(await (await fetch(url)).arrayBuffer());
    t.strictSame([png.readUInt32BE(16), png.readUInt32BE(20)], [800, 260], 'twice the displayed size');
    const unknown = await fetch(`${system.address}/api/captcha?preset=huge`);
    t.equal(unknown.status, 422);
  });

  t.equal(saved.length, 4);
}

interface Issued {
  readonly token: string;
  readonly url: string;
  readonly question: string;
  readonly words: readonly string[];
  readonly answer: string;
}

async function issue(system: HostedSystem, preset: string): Promise<Issued> {
  const response = await fetch(`${system.address}/api/captcha?preset=${preset}`);
  return (await response.json()) as Issued;
}

async function postEntry(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: { code?: string; saved?: boolean } }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as { code?: string; saved?: boolean } };
}

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
  const folder = t.testdir({
    'notices.mjs': sample('js', 'createInterface'),
    'erased.log': '{"event":"login","erased":true}\n',
  });
  const file = join(folder, 'notices.mjs');
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
  const erased = openSync(join(folder, 'erased.log'), 'r');
  t.equal(await run(process.execPath, [file], erased), '', 'an erased user gets no mail');
});
