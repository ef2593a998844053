// Doctor's command line and its password prompt.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { readDoctorArguments } from '@tollgate/tools/doctor/arguments.js';
import t, { type Test } from 'tap';

const COMMAND = fileURLToPath(new URL('../../../tools/dist/src/doctor/command.js', import.meta.url));

async function doctor(args: string[], env: Readonly<Record<string, string>>, input = '') {
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH: process.env.PATH, ...env } });
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, out, error };
}

/** A site that is not Tollgate. */
async function otherSite(t: Test): Promise<string> {
  const server = createServer((_request, response) => response.end('<h1>hello</h1>')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('an invalid command line gets the usage', async (t) => {
  // Not that of a system that is running here.
  const env = { DATA_DIR: tempDir(t) };
  const usage = /^usage: doctor \[PUBLIC_URL\] \[--email EMAIL\]/m;
  const wrong: [string[], RegExp][] = [
    [
      [],
      /^doctor: no address: name one or set PUBLIC_URL; npm start is not running on DATA_DIR \([^\n]*\)\nusage/,
    ],
    [['https://a.example', 'https://b.example'], /^usage/],
    [['--password', 'x'], /^doctor: Unknown option '--password'\nusage/],
    [['--email'], /^doctor: Option '--email <value>' argument missing\nusage/],
    [['nowhere'], /^doctor: PUBLIC_URL must be an http:\/\/ or https:\/\/ address/],
    [['https://a.example?x'], /^doctor: PUBLIC_URL/],
    [
      ['https://a.example', '--origin', 'https://b.example/'],
      /^doctor: CORS_ORIGIN must be https:\/\/b\.example, /,
    ],
    [['https://a.example', '--connect', 'localhost'], /^doctor: --connect must be an IP address/],
  ];
  for (const [args, line] of wrong) {
    const { code, out, error } = await doctor(args, env);
    t.equal(code, 2);
    t.equal(out, '');
    t.match(error, line);
    t.match(error, usage);
  }
});

t.test('--help prints the usage', async (t) => {
  for (const args of [['--help'], ['-h', 'https://a.example']]) {
    const { code, out, error } = await doctor(args, {});
    t.strictSame({ code, error }, { code: 0, error: '' });
    t.match(out, /^usage: doctor \[PUBLIC_URL\]/);
  }
});

t.test('the environment completes the command line', async (t) => {
  const env = { PUBLIC_URL: 'https://auth.example.com', CORS_ORIGIN: 'https://app.example.com' };
  const unset = { email: undefined, prefix: undefined, connect: undefined, json: false };
  t.strictSame(readDoctorArguments([], env), {
    publicUrl: env.PUBLIC_URL,
    origin: env.CORS_ORIGIN,
    ...unset,
  });
  const args = ['https://b.example', '--origin', 'https://c.example', '--prefix', '/x/y/', '--json'];
  t.strictSame(readDoctorArguments(args, env), {
    ...unset,
    publicUrl: 'https://b.example',
    origin: 'https://c.example',
    prefix: 'x/y',
    json: true,
  });
});

t.test('an invalid variable is one line', async (t) => {
  t.match(await doctor(['https://a.example'], { CAPTCHA_ROUTES_PREFIX: 'x//y' }), {
    code: 1,
    out: '',
    error: /^doctor: CAPTCHA_ROUTES_PREFIX must be [^\n]+\n$/,
  });
});

t.test('doctor does not log in at a site that is not Tollgate', async (t) => {
  const url = await otherSite(t);
  const { code, out, error } = await doctor([url, '--email', 'ada@example.com'], {}, 'the secret word\n');
  t.strictSame({ code, error }, { code: 1, error: '' });
  t.strictSame(out.split('\n'), [
    'problem  No challenges at /api/captcha/pow; response: 200.',
    '         Route the path of CAPTCHA_ROUTES_PREFIX to the challenge service, or set the path with --prefix.',
    'problem  POST /refresh does not reach the session service; response: 200.',
    '         Route /login, /refresh, /logout, /reauthenticate, /password, /sessions, /profile, /verify and /.well-known/jwks.json, with every method, to the session service.',
    'skipped  All other outside checks: the services must be reachable first.',
    "skipped  Secrets, stores and users: need the session service's environment.",
    '2 problems, 0 warnings, 0 good',
    '',
  ]);
});

t.test('without a password no login is possible', async (t) => {
  t.strictSame(await doctor(['https://a.example', '--email', 'ada@example.com'], {}), {
    code: 1,
    out: '',
    error: 'doctor: no password was given\n',
  });
});

t.test('a terminal prompts for the password once and does not show it', async (t) => {
  const url = await otherSite(t);
  const line = [process.execPath, COMMAND, url, '--email', 'ada@example.com']
    .map((part) => `'${part}'`)
    .join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm' },
  });
  let shown = '';
  let isAsked = false;
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    if (isAsked || !shown.includes('Password: ')) return;
    isAsked = true;
    child.stdin.write('the secret word\r');
  });
  child.stdin.on('error', () => {});
  const [code] = await once(child, 'close');
  t.equal(code, 1);
  t.match(shown, /^Password: \r+\nproblem {2}No challenges/);
  t.notMatch(shown, 'secret word');
});
