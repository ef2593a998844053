// Doctor's command: its line and password prompt, the documented call beside `npm start`, and its files in the image.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { reachableFrom, readSources } from '@tollgate/tools/docs/source-files.js';
import { readDoctorArguments } from '@tollgate/tools/doctor/arguments.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { launch } from '../launcher/launch.js';
import { COMMAND, runDoctor } from './run-doctor.js';

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

/** The command as documented. */
const DOCUMENTED = 'npm run -s doctor -- --email demo@example.com';

async function shell(command: string, env: Readonly<Record<string, string>>, input: string) {
  const child = spawn('sh', ['-c', command], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, out };
}

const DOCTOR = /^tools\/src\/doctor\//;

const dockerfile = readProjectFile('deploy/Dockerfile');
const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
  packages: Record<string, unknown>;
};
const manifest = (path: string) =>
  JSON.parse(readProjectFile(path)) as {
    dependencies: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };

t.test('an invalid command line gets the usage', async (t) => {
  // Not that of a system that is running here.
  const env = { DATA_DIR: tempDir(t) };
  const usage = /^usage: doctor \[PUBLIC_URL\] \[--email EMAIL\]/m;
  const wrong: [string[], RegExp][] = [
    [
      [],
      /^doctor: no address: name one or set PUBLIC_URL; npm start is not running on DATA_DIR \([^\n]*\)\nusage/,
    ],
    [['https://a.example', 'https://b.example'], /^doctor: Wrong arguments\nusage/],
    [['--password', 'x'], /^doctor: Unknown option '--password'\nusage/],
    [['--email'], /^doctor: Option '--email <value>' argument missing\nusage/],
    [['nowhere'], /^doctor: PUBLIC_URL must be an http:\/\/ or https:\/\/ address/],
    [['https://a.example?x'], /^doctor: PUBLIC_URL/],
    [
      ['https://a.example', '--origin', 'https://b.example/'],
      /^doctor: --origin must be https:\/\/b\.example, /,
    ],
    [['https://a.example', '--connect', 'localhost'], /^doctor: --connect must be an IP address/],
  ];
  for (const [args, line] of wrong) {
    const { code, out, error } = await runDoctor(args, env);
    t.equal(code, 2);
    t.equal(out, '');
    t.match(error, line);
    t.match(error, usage);
  }
});

t.test('--help prints the usage', async (t) => {
  for (const args of [['--help'], ['-h', 'https://a.example']]) {
    const { code, out, error } = await runDoctor(args, {});
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
  t.match(await runDoctor(['https://a.example'], { CAPTCHA_ROUTES_PREFIX: 'x//y' }), {
    code: 1,
    out: '',
    error: /^doctor: CAPTCHA_ROUTES_PREFIX must be [^\n]+\n$/,
  });
});

t.test('doctor does not log in at a site that is not Tollgate', async (t) => {
  const url = await otherSite(t);
  const { code, out, error } = await runDoctor([url, '--email', 'ada@example.com'], {}, 'the secret word\n');
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
  t.strictSame(await runDoctor(['https://a.example', '--email', 'ada@example.com'], {}), {
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

// It reported a nonexistent problem.
t.test('beside a healthy start the documented command finds no problem and ends with 0', async (t) => {
  t.ok(
    readProjectFile('docs/operations/doctor.md').includes(`\n${DOCUMENTED} `),
    'the manual has the command',
  );
  const folder = tempDir(t);
  const launcher = launch(t, { PATH: process.env.PATH, DATA_DIR: folder });
  const address = await launcher.address;
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  const running = join(folder, 'running.json');
  t.equal(statSync(running).mode & 0o777, 0o600);
  for (const secret of Object.values(secrets)) {
    t.notOk(readFileSync(running, 'utf8').includes(String(secret)), 'no secret is in it');
  }

  const password = `${secrets.DEMO_PASSWORD}\n`;
  const found = await shell(DOCUMENTED, { DATA_DIR: folder }, password);
  t.match(found.out, /^0 problems, 0 warnings, \d+ good\n$/m);
  t.match(found.out, 'session-service is ready', 'it examined from inside');
  t.match(found.out, 'challenge-service is ready');
  t.notMatch(found.out, /^skipped {2}Secrets/m);
  t.equal(found.code, 0, found.out);

  const other = await shell(`npm run -s doctor -- ${address}/elsewhere`, { DATA_DIR: folder }, '');
  t.match(other.out, /^skipped {2}Secrets/m, 'another address is examined from outside');

  launcher.child.kill('SIGTERM');
  await launcher.ended;
  t.notOk(existsSync(running));
  const stopped = await shell('npm run -s doctor', { DATA_DIR: folder }, '');
  t.equal(stopped.code, 2, 'nothing is running, and no address is given');
});

t.test('the imports of doctor are copied into the image from their npm paths', async (t) => {
  const sources = readSources();
  const doctor = sources.filter(({ path }) => DOCTOR.test(path));
  const reached = new Set(doctor.flatMap(({ path }) => [...reachableFrom(path, sources)]));
  const targets = sources
    .filter(({ path }) => reached.has(path))
    .flatMap(({ imports }) => imports)
    .filter((target) => !reached.has(target) && !target.startsWith('node:'))
    .map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? '');
  const installed = {
    ...manifest('services/session-service/package.json').dependencies,
    ...manifest('services/session-service/package.json').optionalDependencies,
    ...manifest('shared/package.json').dependencies,
  };
  const further = [...new Set(targets)].filter((name) => !(name in installed)).sort();
  t.strictSame(further, ['tldts', 'undici']);
  for (const path of ['node_modules/tldts', 'node_modules/tldts-core', 'tools/node_modules/undici']) {
    t.ok(path in packages, `${path} is where the lock file installs it`);
    t.ok(dockerfile.includes(`\nCOPY --from=build /app/${path} ${path}\n`));
  }
  t.ok(dockerfile.includes('\nCOPY --from=build /app/tools/dist/src/doctor tools/dist/src/doctor\n'));
});

t.test('the manual has the path of the command in the image', async (t) => {
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };
  t.match(
    readProjectFile('docs/operations/doctor.md'),
    `docker compose exec session-service ${scripts.doctor} `,
  );
});
