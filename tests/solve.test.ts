// The terminal's solver, which is that of the browser package.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startService } from './throw-away-service.js';

const command = fileURLToPath(new URL('../../tools/solve.js', import.meta.url));
const salt = '00112233445566778899aabbccddeeff';

function leadingZeroBits(digestOf: string): number {
  const digest = createHash('sha256').update(digestOf).digest();
  return Math.clz32(digest.readUInt32BE(0));
}

async function runSolver(...args: string[]) {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, ...said };
}

t.test('the command fetches a challenge and prints the two fields for curl', async (t) => {
  const service = await startService((_received, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ token: 'T'.repeat(40), salt, difficulty: 12, algorithm: 'sha256' }));
  });
  t.teardown(() => service.close());
  for (const [address, path] of [
    [service.url, '/api/captcha/pow'],
    [`${service.url}/`, '/api/captcha/pow'],
    [`${service.url}/other/pow?scope=x`, '/other/pow?scope=x'],
  ] as const) {
    const { code, out, err } = await runSolver(address);
    t.same({ code, err }, { code: 0, err: '' });
    const fields = JSON.parse(out);
    t.same(Object.keys(fields), ['pow_token', 'pow_nonce']);
    t.equal(fields.pow_token, 'T'.repeat(40));
    t.ok(leadingZeroBits(salt + fields.pow_nonce) >= 12);
    t.equal(service.received.at(-1)?.url, path);
  }
});

t.test('the command uses the path and the field names of the demo page', async (t) => {
  const service = await startService(({ url }, response) => {
    const facts = {
      challenge_prefix: 'c/v1',
      challenge_fields: { pow_token: 'work.id', pow_nonce: 'work.no' },
    };
    const work = { token: 'T'.repeat(40), salt, difficulty: 12, algorithm: 'sha256' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === '/page.json' ? facts : work));
  });
  t.teardown(() => service.close());
  const { code, out, err } = await runSolver(`${service.url}/`);
  t.same({ code, err }, { code: 0, err: '' });
  const { 'work.no': nonce, ...rest } = JSON.parse(out);
  t.same(rest, { 'work.id': 'T'.repeat(40) });
  t.ok(leadingZeroBits(salt + nonce) >= 12);
  t.equal(service.received.at(-1)?.url, '/c/v1/pow');
});

t.test('without a demo page the command uses the default names', async (t) => {
  const service = await startService(({ url }, response) => {
    if (url === '/page.json') response.writeHead(404).end('<!doctype html>');
    else response.end(JSON.stringify({ token: 'T'.repeat(40), salt, difficulty: 8, algorithm: 'sha256' }));
  });
  t.teardown(() => service.close());
  t.same(Object.keys(JSON.parse((await runSolver(service.url)).out)), ['pow_token', 'pow_nonce']);
  t.equal(service.received.at(-1)?.url, '/api/captcha/pow');
});

t.test(
  'after a rejection the command works at the price of its ticket, and in place of a required image',
  async (t) => {
    const service = await startService(({ url }, response) => {
      const challenge = { token: 'T'.repeat(40), salt, algorithm: 'sha256' };
      const effort = { ...challenge, parts: 16, part_difficulty: 6 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(url?.includes('/pow') ? { ...challenge, difficulty: 8 } : effort));
    });
    t.teardown(() => service.close());
    const asked = () => service.received.splice(0).map(({ url }) => url);

    const dear = await runSolver(service.url, '{"captcha_required":false,"pow_scope":"a b"}');
    t.same(Object.keys(JSON.parse(dear.out)), ['pow_token', 'pow_nonce']);
    t.same(asked(), ['/page.json', '/api/captcha/pow?scope=a%20b']);

    const demanded = JSON.parse(
      (await runSolver(service.url, '{"captcha_required":true,"pow_scope":"x"}')).out,
    );
    t.same(Object.keys(demanded), ['pow_token', 'pow_nonce', 'captcha_token', 'captcha']);
    const nonces: string[] = demanded.captcha.split('.');
    t.equal(nonces.length, 16);
    nonces.forEach((nonce, part) => {
      t.ok(leadingZeroBits(salt + String(part).padStart(2, '0') + nonce) >= 6, `part ${part}`);
    });
    t.same(asked(), ['/page.json', '/api/captcha/pow?scope=x', '/api/captcha?preset=effort&scope=x']);

    t.match(await runSolver(service.url, 'not JSON'), { code: 1, err: /^usage: [^\n]*\n$/ });
  },
);

t.test('the command solves a given salt and difficulty', async (t) => {
  const { code, out } = await runSolver(salt, '13');
  t.equal(code, 0);
  const { pow_nonce } = JSON.parse(out);
  t.match(pow_nonce, /^[1-9]\d{0,23}$/);
  t.ok(leadingZeroBits(salt + pow_nonce) >= 13);
});

t.test('the command prints errors in one line', async (t) => {
  const service = await startService((_received, response) => {
    response.writeHead(429).end('{"message":"Too many requests."}');
  });
  const refused = await runSolver(service.url);
  t.match(refused, { code: 1, out: '', err: /^\S+ answered 429: Too many requests\.\n$/ });
  await service.close();
  t.match(await runSolver(service.url), { code: 1, out: '', err: /^[^\n]*ECONNREFUSED[^\n]*\n$/ });
  for (const args of [[], ['--help'], ['localhost:8080'], ['http://'], ['http://a', '', '']])
    t.match(await runSolver(...args), { code: 1, err: /^usage: [^\n]*\n$/ }, args.join(' '));
  t.match(await runSolver('short', '13'), { code: 1, err: /^SALT must [^\n]*\n$/ });
});
