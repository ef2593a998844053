// Mistakes that prevent a start, as shown in the terminal.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openChallengeService } from '@tollgate/challenge-service/service.js';
import { openSessionService } from '@tollgate/session-service/service.js';
import { startService } from '@tollgate/shared/http';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { programOf } from '@tollgate/tools/launcher/service-program.js';
import { startSystem } from '@tollgate/tools/launcher/system.js';
import t from 'tap';
import { startServiceHere } from '../system/services-here.js';
import { entry, freePorts, launch } from './launch.js';

const secrets = {
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
};

const environmentOf = (dataFolder: string) => ({
  ...secrets,
  ...freePorts,
  PUBLIC_URL: 'http://localhost:8080',
  DATA_DIR: dataFolder,
});
const runtime = { output: { write: () => {} }, run: startService };
/** Starts each program here, on a data folder. */
const programs: Record<string, (path: string) => Promise<unknown>> = {
  'npm start': async (path: string) => startSystem({ environment: environmentOf(path) }),
  'session-service': async (path: string) => openSessionService(environmentOf(path), runtime),
  'challenge-service': async (path: string) => openChallengeService(environmentOf(path), runtime),
};

t.test('a port in use is one clear line', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  t.match(await launch(t, { CHALLENGE_PORT: `${port}` }).ended, {
    code: 1,
    out: '',
    err: new RegExp(`^Port ${port} is in use; set CHALLENGE_PORT to another one[^\\n]*\\n$`),
  });
});

for (const [title, environment, line] of [
  ['a variable that both services read', { TRUST_PROXY: '3' }, /^TRUST_PROXY[^\n]*$/],
  ['a variable of one service', { ACCESS_TTL: 'soon' }, /^ACCESS_TTL[^\n]*$/],
  [
    'a challenge path of a demo page file',
    { CAPTCHA_ROUTES_PREFIX: 'app.js' },
    /^CAPTCHA_ROUTES_PREFIX must not begin with "app\.js", which is a path of the demo page\.$/,
  ],
  [
    'a demo password that is too short',
    { DEMO_PASSWORD: 'short' },
    /^DEMO_PASSWORD must have at least 8 characters[^\n]*$/,
  ],
  ['a demo password of two lines', { DEMO_PASSWORD: 'two long\nlines' }, /^DEMO_PASSWORD must [^\n]*$/],
  [
    'an invalid demo e-mail address',
    { DEMO_EMAIL: 'nobody' },
    /^DEMO_EMAIL must be an e-mail address[^\n]*$/,
  ],
  [
    'a list of origins',
    { CORS_ORIGIN: 'https://a.example.com,https://b.example.com' },
    /^CORS_ORIGIN must be one origin such as https:\/\/app\.example\.com$/,
  ],
] as const) {
  t.test(`${title} is one line`, async (t) => {
    const started = startSystem({
      environment: { DATA_DIR: t.testdir(), ...freePorts, ...environment },
      startService: startServiceHere,
    });
    await t.rejects(started, { name: 'StartError', message: line });
  });
}

t.test('an unreachable store is one clear line without its password', async (t) => {
  const environment = {
    DATA_DIR: t.testdir(),
    ...freePorts,
    STORE_URL: 'redis://user:secret-word@127.0.0.1:9',
  };
  await t.rejects(startSystem({ environment, storeMs: 500, startService: startServiceHere }), {
    name: 'StartError',
    message: 'redis://127.0.0.1:9 cannot be reached (STORE_URL).',
  });
});

t.test('an invalid DATA_DIR is one line immediately', async (t) => {
  const file = join(tempDir(t), 'file');
  writeFileSync(file, '');
  const isFile = `DATA_DIR must be a writable folder, not ${file}: it, or a folder above it, is a file`;
  for (const [path, message] of [
    [file, isFile],
    [join(file, 'data'), /^DATA_DIR must [^\n]*: it, or a folder above it, is a file$/],
  ] as const) {
    for (const [name, start] of Object.entries(programs)) {
      await t.rejects(start(path), { message }, `${name} ${path}`);
    }
  }
});

t.test('a program with an invalid DATA_DIR exits with one line', (t) => {
  const folder = tempDir(t);
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'closed'), { mode: 0o555 });
  chmodSync(folder, 0o755);
  // Root may write everywhere, so another user tries.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  for (const [path, line, as] of [
    [join(folder, 'file'), /^DATA_DIR must [^\n]*: it, or a folder above it, is a file\n$/, {}],
    [join(folder, 'closed'), /^DATA_DIR must [^\n]*: this user may not write there\n$/, user],
    [join(folder, 'closed', 'data'), /^DATA_DIR must [^\n]*: this user may not write there\n$/, user],
    // Node's own recursive mkdir never ends there.
    ['/proc/tollgate/data', /^DATA_DIR must [^\n]*: no folder can be created there\n$/, {}],
  ] as const) {
    for (const program of [entry, programOf('session-service'), programOf('challenge-service')]) {
      const env = environmentOf(path);
      const ended = spawnSync(process.execPath, [program], {
        env,
        encoding: 'utf8',
        timeout: 60_000,
        // A spinning program runs no signal handler.
        killSignal: 'SIGKILL',
        ...as,
      });
      t.match(ended, { stdout: '', status: 1, signal: null, stderr: line }, `${program} ${path}`);
    }
  }
  t.end();
});

t.test('a command of a clone that is not built prints the remedy in one line', async (t) => {
  const clone = t.testdir({ 'package.json': readFileSync(join(projectRoot, 'package.json'), 'utf8') });
  for (const name of ['captcha', 'users', 'keys', 'hash-password', 'session', 'doctor']) {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', name], {
      cwd: clone,
      encoding: 'utf8',
    });
    t.equal(stdout + stderr, 'Tollgate is not built: run npm ci and npm run build first.\n', name);
    t.not(status, 0);
  }
});
