// Every server sample in README and docs, run as written and sent requests that no form would send.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { exportAccessKeys, openKeyRing } from '@tollgate/shared/crypto';
import { freePort } from '@tollgate/test-support/free-port.js';
import { listFiles } from '@tollgate/tools/docs/source-files.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { type HostedSystem, shared, startHostedSystem } from '../examples/hosts.js';
import { codeBlocks } from './markdown.js';
import { readProjectFile } from './project-file.js';

/** A server program, by its origin. */
interface Sample {
  readonly name: string;
  readonly command: string;
  readonly code: string;
  /** Where the code is in its own file. */
  readonly file?: string;
}

const account = { email: 'someone@example.com', password: 'a password of these tests' };
const hasPython = spawnSync('python3', ['--version']).status === 0;

const pages = ['README.md', ...listFiles('docs', /\.md$/)];
// Those of other frameworks run in lab/test/stacks, where these are installed.
const stacks = /^docs\/(examples|stacks)\/(express|hono|next|sveltekit|nuxt|astro|react-router|nestjs)\b/;
const blocks = pages.flatMap((page) =>
  codeBlocks(readProjectFile(page), 'js')
    .filter((code) => /\bFastify\(|\bapp\./.test(code) && !stacks.test(page))
    .map((code, at): Sample => ({ name: `${page} ${at + 1}`, command: process.execPath, code })),
);
const programs = listFiles('docs/examples', /\.(js|py)$/)
  .filter((path) => !/\/(plain|react|svelte|vue)-form\//.test(path) && !stacks.test(path))
  .map((path) => ({ path, code: readProjectFile(path) }))
  .filter(({ code }) => /\.listen\(|serve_forever/.test(code))
  .map(
    ({ path, code }): Sample => ({
      name: path,
      command: path.endsWith('.py') ? 'python3' : process.execPath,
      code,
      file: join(projectRoot, path),
    }),
  );
// An example without a listening program is run by these lines.
const guestBook: Sample = {
  name: 'docs/examples/custom-kind/app.js',
  command: process.execPath,
  code: `import { buildGuestBook } from ${JSON.stringify(
    pathToFileURL(join(projectRoot, 'docs/examples/custom-kind/app.js')).href,
  )};
const app = await buildGuestBook({ environment: process.env, save: async () => {} });
await app.listen({ port: Number(process.env.PORT) });`,
};
const samples = [...blocks, ...programs, guestBook];

/** The routes of a sample that accept bodies, declared by it or by an example of its folder. */
function routesOf({ code, file, name }: Sample): string[] {
  const folder = dirname(file ?? join(projectRoot, name));
  const beside = join(folder, 'app.js');
  const all =
    /-form|custom-kind/.test(folder) && existsSync(beside) ? code + readFileSync(beside, 'utf8') : code;
  return [
    ...[...all.matchAll(/\bapp\.(get|post)\(\s*'([^']+)'/g)].map(
      ([, method = '', path]) => `${method.toUpperCase()} ${path}`,
    ),
    ...[...all.matchAll(/self\.path != "([^"]+)"/g)].map(([, path]) => `POST ${path}`),
  ];
}

const long = 'x'.repeat(10_000);
const odd = [
  null,
  5,
  -0.5,
  true,
  [],
  ['a', 'b'],
  {},
  { a: { b: 1 } },
  '',
  '   ',
  long,
  '\ud800',
  '\0',
  '__proto__',
];
const names = ['email', 'password', 'text', 'name', 'pow_token', 'pow_nonce', 'captcha_token', 'captcha'];

/** JSON bodies, each with otherwise valid content. */
const bodies: readonly string[] = [
  ...['', '{}', 'null', '[]', '[1]', '5', '"text"', 'true', '{', '}', '\0', '[[[['.repeat(2000)],
  '{"__proto__":{"email":"x"}}',
  '{"constructor":{"prototype":{}}}',
  '{"email":{"__proto__":1}}',
  '{"pow_nonce":{"__proto__":1}}',
  `{"email":${'9'.repeat(6000)}}`,
  ...names.flatMap((name) => [
    ...odd.map((value) => JSON.stringify({ ...account, text: 'x', name: 'x', [name]: value })),
    JSON.stringify({ ...account, text: 'x', name: 'x', [name]: undefined }),
  ]),
  JSON.stringify({
    ...account,
    pow: false,
    image: 'ignored',
    count: false,
    idempotency_key: 'x',
    presets: [],
  }),
];

/** Other kinds of bodies: media type and content. */
const others: readonly (readonly [string, string])[] = [
  ['text/plain', 'email=x'],
  ['application/xml', '<x/>'],
  ['application/x-www-form-urlencoded', 'email=%ff&email=2&__proto__=3&text[a]=b'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--\r\n',
  ],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\na'],
  ['multipart/form-data', 'x'],
  ['application/json; charset=utf-16', '{}'],
  ['nonsense', '{}'],
];

// So many requests come from one address that the volume would raise the price, and the limit would reject them.
const price = { CAPTCHA_POW_VOLUME_STEP: '0' };
const system = await startHostedSystem(t, { ...price, RATE_LIMIT_POW: '1000', RATE_LIMIT_ISSUE: '1000' });

t.test('every server sample is run', async (t) => {
  t.ok(samples.length >= 8);
  for (const { name, code } of blocks) t.match(code, /\.listen\(/, `${name} is a complete program`);
  for (const sample of samples) t.not(routesOf(sample).length, 0, `${sample.name} has routes`);
});

const takesSignIns = (sample: Sample) => routesOf(sample).includes('POST /sign-in');
/** The addresses of programs that several tests use. */
const running = new Map<Sample, Promise<string>>();

for (const sample of samples) {
  const skip = sample.command === 'python3' && !hasPython ? 'Python is not installed' : false;
  t.test(`${sample.name} responds to any request`, { skip }, async (t) => {
    const address = await addressOf(t, sample);
    for (const route of routesOf(sample)) {
      const [method = '', path = ''] = route.split(' ');
      const url = address + path;
      await checkAnswer(t, await fetch(url, { method: method === 'GET' ? 'GET' : 'POST' }), route);
      if (method === 'GET') continue;
      const send = (type: string | undefined, body: string, headers = {}) =>
        fetch(url, {
          method,
          body: Buffer.from(body),
          headers: { ...(type && { 'content-type': type }), ...headers },
        });
      const check = async (type: string, body: string) =>
        checkAnswer(t, await send(type, body), `${type} ${body.slice(0, 80)}`);
      await Promise.all(bodies.map((body) => check('application/json', body)));
      await Promise.all(others.map(([type, body]) => check(type, body)));
      await checkAnswer(t, await send(undefined, 'x'), 'no type');
      await checkAnswer(t, await send('application/json', '{}', { accept: 'text/html' }), 'for a browser');
      // Solved, so that mistakes in it reach the route itself.
      for (const changed of [
        {},
        { email: undefined },
        { password: 'wrong' },
        { password: {} },
        { email: ` \ud800${long}` },
      ]) {
        const solved = {
          ...account,
          name: 'x',
          text: 'x',
          ...(await system.work()),
          ...(await system.image()),
        };
        const body = JSON.stringify({ ...solved, ...changed });
        await checkAnswer(t, await send('application/json', body), JSON.stringify(changed).slice(0, 80));
      }
    }
  });
}

for (const sample of samples.filter(takesSignIns)) {
  const skip = sample.command === 'python3' && !hasPython ? 'Python is not installed' : false;
  t.test(
    `${sample.name} accepts a login, and after a wrong password returns the requirements of the next attempt`,
    { skip },
    async (t) => {
      const address = await addressOf(t, sample);
      const signIn = async (body: object) => {
        const headers = { 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: JSON.stringify({ ...account, ...body }) };
        const answer = await fetch(`${address}/sign-in`, init);
        return { status: answer.status, json: (await answer.json()) as { pow_scope: string } };
      };
      const email = ` ${account.email.toUpperCase()}`;
      const both = async (scope?: string) => ({ ...(await system.work(scope)), ...(await system.image()) });
      const first = await signIn({ email, password: 'wrong', ...(await both()) });
      t.match(first, {
        status: 422,
        json: { code: /^(login_failed|pow_insufficient)$/, captcha_required: Boolean },
      });
      const { pow_scope: scope } = first.json;
      t.match(await signIn({ password: 'wrong', ...(await both(scope)) }), {
        status: 422,
        json: { code: 'login_failed', message: String, captcha_required: Boolean, pow_scope: String },
      });
      t.match(await signIn({ email, ...(await both(scope)) }), {
        status: 200,
        json: { email: account.email },
      });
    },
  );
}

for (const sample of samples.filter(takesSignIns)) {
  const skip = sample.command === 'python3' && !hasPython ? 'Python is not installed' : false;
  t.test(`eight spellings of one address gave eight guesses at ${sample.name}`, { skip }, async (t) => {
    const address = await addressOf(t, sample);
    const codes: string[] = [];
    for (const email of spellings('spelt@example.com')) {
      const body = JSON.stringify({ email, password: 'wrong', ...(await system.work()) });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${address}/sign-in`, { method: 'POST', headers, body });
      codes.push(((await answer.json()) as { code: string }).code);
    }
    t.match(codes, ['login_failed']);
    t.ok(codes.filter((code) => code === 'login_failed').length <= 2, codes.join());
  });
}

t.test(
  'the Python sample for a form without accounts accepts solved work once',
  { skip: hasPython ? false : 'Python is not installed' },
  async (t) => {
    const [sample = ''] = codeBlocks(readProjectFile('docs/challenges/host-api.md'), 'python');
    const code = sample.replace('http://127.0.0.1:9002', system.hostEnvironment.HOST_API_URL ?? '');
    t.not(code, sample);
    const form = JSON.stringify(JSON.stringify({ text: 'x', ...(await system.work()) }));
    const program = `${code}
form = json.loads(${form})
print(json.dumps([verify(form, "192.0.2.1"), verify(form, "192.0.2.1"), verify({}, "192.0.2.1")]))`;
    const child = spawn('python3', ['-c', program], {
      env: { PATH: process.env.PATH, ...system.hostEnvironment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    t.same(await once(child, 'close'), [0, null]);
    t.match(JSON.parse(output), [
      { success: true },
      { success: false, code: 'pow_invalid', message: String },
      { success: false, code: 'pow_invalid' },
    ]);
  },
);

/** Eight spellings of one address. */
function spellings(email: string): string[] {
  const wide = (text: string) =>
    text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
  const [local = '', domain = ''] = email.split('@');
  return [
    ...[email, email.toUpperCase(), ` ${email}`, `${email} `, `\u00a0${email}`],
    ...[`${wide(local)}@${domain}`, `${local}@${wide(domain)}`, `${local.toUpperCase()}@${domain}`],
  ];
}

/** Never a server error, and always a documented rejection, or a page. */
async function checkAnswer(t: Test, response: Response, what: string): Promise<void> {
  const { status, headers } = response;
  const text = await response.text();
  if (!t.ok(status < 500, `${what}: ${status} ${text.slice(0, 200)}`)) return;
  if (status < 400) return;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/html')) return void t.match(text, /^<!doctype html>/, what);
  t.match(type, /^application\/json/, what);
  const body = JSON.parse(text);
  t.type(body.message, 'string', what);
  t.type(body.code, 'string', `${what}: ${text.slice(0, 200)}`);
  // Malformed requests are rejected before the requirements are determined.
  if (status === 422 && body.code !== 'validation_failed')
    t.type(body.captcha_required, 'boolean', text.slice(0, 200));
}

/** Runs a sample until the test ends; one with logins, which several tests use, until the file ends. */
function addressOf(test: Test, sample: Sample): Promise<string> {
  if (!takesSignIns(sample)) return startSample(test, sample);
  const address = running.get(sample) ?? startSample(t, sample);
  running.set(sample, address);
  return address;
}

/** Runs a sample beside the system; resolves with its address once it responds. */
async function startSample(user: Test, { code, command, file }: Sample): Promise<string> {
  // Inside the project, so that its imports resolve as in a workspace.
  const folder = mkdtempSync(join(t.testdirName, 'sample-'));
  const program = file ?? join(folder, 'sample.mjs');
  if (file === undefined) {
    writeFileSync(program, code);
    writeFileSync(join(folder, 'index.html'), codeBlocks(readProjectFile('README.md'), 'html')[0] ?? '');
  }
  const port = await freePort();
  const child = spawn(command, [program, ...(command === 'python3' ? [String(port)] : [])], {
    cwd: folder,
    env: environmentOf(system, port),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const closed = once(child, 'close');
  user.teardown(async () => {
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
  throw new Error(`${basename(program)} ended with ${child.exitCode}`);
}

function environmentOf({ secrets, storeUrl, hostEnvironment }: HostedSystem, port: number) {
  return {
    PATH: process.env.PATH,
    PORT: String(port),
    STORE_URL: storeUrl,
    CHALLENGE_SECRET: secrets.CHALLENGE_SECRET,
    ACCESS_SECRET: secrets.ACCESS_SECRET,
    ACCESS_KEYS: exportAccessKeys(openKeyRing(secrets.ENCRYPTION_KEY)),
    DEMO_EMAIL: account.email,
    DEMO_PASSWORD: account.password,
    ...hostEnvironment,
    ...shared,
    ...price,
  };
}
