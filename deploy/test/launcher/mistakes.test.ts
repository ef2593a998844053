// What keeps a system from starting, as a person at the terminal reads it.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { tempDir } from '@tollgate/shared/test/temp-dir.js';
import t from 'tap';
import { projectRoot } from '../../src/launcher/local-environment.js';
import { startSystem } from '../../src/launcher/system.js';
import { entry, freePorts, launch } from './launch.js';

const programs = [
  entry,
  join(projectRoot, 'services/session-service/dist/src/server.js'),
  join(projectRoot, 'services/challenge-service/dist/src/server.js'),
];
const secrets = {
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
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
  ['a variable that both services read', { TRUST_PROXY: '3' }, /^TRUST_PROXY[^\n]*\n$/],
  ['a variable of one service', { ACCESS_TTL: 'soon' }, /^ACCESS_TTL[^\n]*\n$/],
  [
    'a path of the challenges that a file of the demo page has',
    { CAPTCHA_ROUTES_PREFIX: 'app.js' },
    /^CAPTCHA_ROUTES_PREFIX must not begin with "app\.js", which is a path of the demo page\.\n$/,
  ],
  [
    'a demo password that is too short',
    { DEMO_PASSWORD: 'short' },
    /^DEMO_PASSWORD must have at least 8 characters[^\n]*\n$/,
  ],
  ['a demo password of two lines', { DEMO_PASSWORD: 'two long\nlines' }, /^DEMO_PASSWORD must [^\n]*\n$/],
  ['a demo e-mail that is none', { DEMO_EMAIL: 'nobody' }, /^DEMO_EMAIL must be an e-mail address[^\n]*\n$/],
  [
    'a list of origins',
    { CORS_ORIGIN: 'https://a.example.com,https://b.example.com' },
    /^CORS_ORIGIN must be one origin such as https:\/\/app\.example\.com\n$/,
  ],
] as const) {
  t.test(`${title} is complained of in one line`, async (t) => {
    t.match(await launch(t, environment).ended, { code: 1, out: '', err: line });
  });
}

t.test('an unreachable store is one clear line without its password', async (t) => {
  const environment = {
    DATA_DIR: t.testdir(),
    ...freePorts,
    STORE_URL: 'redis://user:secret-word@127.0.0.1:9',
  };
  await t.rejects(startSystem({ environment, storeMs: 500 }), {
    name: 'StartError',
    message: 'redis://127.0.0.1:9 cannot be reached (STORE_URL).',
  });
});

t.test('a DATA_DIR that cannot be is one line at once', { timeout: 300_000 }, async (t) => {
  const folder = tempDir(t);
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'closed'), { mode: 0o555 });
  chmodSync(folder, 0o755);
  const isFile =
    /^DATA_DIR must be a folder that can be written, not \S+: it, or a folder above it, is a file\n$/;
  const cases: [path: string, line: RegExp, uid?: number | undefined][] = [
    [join(folder, 'file'), isFile],
    [join(folder, 'file', 'data'), isFile],
    // Making folders there with Node's own recursion never ends.
    ['/proc/tollgate/data', /^DATA_DIR must [^\n]*: no folder can be made there\n$/],
  ];
  // Who is root may write everywhere, so another user tries.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const refused = /^DATA_DIR must [^\n]*: this user may not write there\n$/;
  cases.push([join(folder, 'closed'), refused, uid], [join(folder, 'closed', 'data'), refused, uid]);
  for (const [path, line, as] of cases) {
    for (const program of programs) {
      const { status, stdout, stderr, signal } = spawnSync(process.execPath, [program], {
        env: { ...secrets, ...freePorts, PUBLIC_URL: 'http://localhost:8080', DATA_DIR: path },
        encoding: 'utf8',
        timeout: 60_000,
        // A program that spins runs no handler of a signal.
        killSignal: 'SIGKILL',
        ...(as === undefined ? {} : { uid: as, gid: as }),
      });
      t.strictSame({ stdout, signal }, { stdout: '', signal: null }, `${program} ${path}`);
      if (as === undefined) t.equal(status, 1);
      t.match(stderr, line);
    }
  }
});
