// Bundles of the services: which program runs, how it caches compiled code, and which extensions it reads.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { freePort } from '@tollgate/test-support/free-port.js';
import { loadedFiles } from '@tollgate/test-support/loaded-files.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { bundleOf, programOf } from '@tollgate/tools/launcher/service-program.js';
import t, { type Test } from 'tap';

const compiled = 'services/session-service/dist/src/server.js';
const bundle = 'services/session-service/dist/bundle/server.js';

/** Puts a bundle into its own folder. */
function makeBundle(t: Test, code: string) {
  const folder = tempDir(t);
  const cache = join(folder, '.compile-cache');
  const program = join(folder, 'server.mjs');
  const write = (text: string) => writeFileSync(join(folder, 'service.cjs'), text);
  copyFileSync(join(projectRoot, 'tools/bundled-server.js'), program);
  write(code);
  return {
    folder,
    program,
    cache,
    write,
    /** Resolves with the bundle's output. */
    async run(): Promise<string> {
      const { code, out, error } = await spawnCommand(program, []);
      return code === 0 ? out.trim() : error;
    },
    /** The cache: names, and the file's inode, which changes when it is written again. */
    kept: () => readdirSync(cache).map((name) => `${name} ${statSync(join(cache, name)).ino}`),
  };
}

const script = `console.log('runs')`;

const SITES = JSON.stringify({ shop: { secret_sha256: '0'.repeat(64), hostnames: ['shop.example'] } });
const GATE = { GATE: '{"sites":["http://localhost:8081"]}', TRUST_PROXY: 'loopback' };

/** Returns the files that the bundle has loaded from its folder, and its responses to a gateway and to a site's server. */
async function loadBundle(t: Test, variables: Readonly<Record<string, string>>) {
  const port = await freePort();
  const environment = {
    DATA_DIR: tempDir(t),
    PUBLIC_URL: 'http://localhost:8080',
    CHALLENGE_PORT: String(port),
    CHALLENGE_ADMIN_PORT: '0',
    DRAIN_SECONDS: '0',
    ...variables,
  };
  const statuses: number[] = [];
  const files = await loadedFiles(t, bundleOf('challenge-service'), environment, async () => {
    for (const path of ['gate/check', 'siteverify', 'tollgate.js']) {
      statuses.push((await fetch(`http://127.0.0.1:${port}/api/captcha/${path}`)).status);
    }
  });
  const own = files.filter((file) => dirname(file) === dirname(bundleOf('challenge-service')));
  const names = own.map((file) => basename(file).replace(/-[\w-]{8}\.cjs$/, '.cjs'));
  t.ok(names.includes('service.cjs'));
  return { names: [...new Set(names)].sort(), statuses };
}

/** The same, with only the extensions among the files. */
async function runBundle(t: Test, variables: Readonly<Record<string, string>>) {
  const { names, statuses } = await loadBundle(t, variables);
  return { extensions: names.filter((name) => name.endsWith('-extension.cjs')), statuses };
}

t.test('the bundle runs, unless it is missing or older than compiled code', async (t) => {
  const root = tempDir(t);
  const write = (path: string, atSeconds: number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
    utimesSync(join(root, path), atSeconds, atSeconds);
  };
  const program = () => programOf('session-service', root);
  write(compiled, 1_000);
  write('shared/dist/src/store/store.js', 1_000);
  t.equal(program(), join(root, compiled), 'no bundle');
  write(bundle, 2_000);
  t.equal(program(), join(root, bundle));
  write('shared/dist/src/store/store.js', 3_000);
  t.equal(program(), join(root, compiled), 'a part of it is newer');
  write(bundle, 4_000);
  write('services/challenge-service/dist/src/server.js', 5_000);
  t.equal(program(), join(root, bundle), 'the files of another service do not matter');
});

t.test('the second start uses the compiled code of the first', async (t) => {
  const { run, kept } = makeBundle(t, script);
  t.equal(await run(), 'runs');
  const first = kept();
  t.equal(first.length, 1);
  t.equal(await run(), 'runs');
  t.same(kept(), first);
});

t.test('a process that is killed later has kept the compiled code of its start', async (t) => {
  const { program, cache, run, kept } = makeBundle(
    t,
    `console.log('runs'); process.argv[2] && setInterval(() => {}, 1e6)`,
  );
  const child = spawn(process.execPath, [program, 'long'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const whole = () => existsSync(cache) && readdirSync(cache).some((name) => !name.endsWith(`.${child.pid}`));
  while (!whole()) await setTimeout(20);
  child.kill('SIGKILL');
  await ended;
  const first = kept();
  t.equal(first.length, 1);
  t.equal(await run(), 'runs');
  t.same(kept(), first);
});

t.test('a bundle of the same length is another bundle', async (t) => {
  const { run, write } = makeBundle(t, `console.log('one')`);
  t.equal(await run(), 'one');
  write(`console.log('two')`);
  t.equal(await run(), 'two');
});

t.test('a damaged cache is compiled again, and replaced', async (t) => {
  const { run, cache, kept } = makeBundle(t, script);
  await run();
  const path = join(cache, readdirSync(cache)[0]!);
  const whole = readFileSync(path);
  const lastChanged = Buffer.from(whole);
  lastChanged[whole.length - 1]! ^= 1;
  const zeros = Buffer.concat([whole.subarray(0, 200), Buffer.alloc(whole.length - 200)]);
  const cut = whole.subarray(0, whole.length / 2);
  for (const damaged of ['', 'not compiled code', cut, zeros, lastChanged]) {
    writeFileSync(path, damaged);
    const before = kept();
    t.equal(await run(), 'runs');
    const after = kept();
    t.equal(after.length, 1);
    t.notSame(after, before);
    t.equal(await run(), 'runs');
    t.same(kept(), after);
  }
});

t.test('a service starts where no cache can be written', async (t) => {
  const { run, cache, kept } = makeBundle(t, script);
  writeFileSync(cache, 'a file where the folder would be');
  t.equal(await run(), 'runs');
  t.equal(await run(), 'runs');
  rmSync(cache);
  t.equal(await run(), 'runs');
  t.equal(kept().length, 1);
});

t.test('a bundle loads neighbouring files, which share its code, and modules by URL', async (t) => {
  const { folder, run } = makeBundle(
    t,
    `exports.shared = { runs: (globalThis.runs = (globalThis.runs ?? 0) + 1) };
const url = require('node:url').pathToFileURL(__dirname + '/named.mjs').href;
void (async () => {
  const { named } = await __import(url);
  const { beside } = require('./beside.cjs');
  console.log(beside === exports.shared, globalThis.runs, named, require('node:path').basename(__filename));
})();`,
  );
  writeFileSync(join(folder, 'beside.cjs'), `exports.beside = require('./service.cjs').shared`);
  writeFileSync(join(folder, 'named.mjs'), `export const named = 'named'`);
  for (const start of ['first', 'second']) t.equal(await run(), 'true 1 named service.cjs', start);
});

t.test('a stack trace names the bundle and counts its lines', async (t) => {
  const { run } = makeBundle(t, `\nthrow new Error('here')`);
  for (const start of ['first', 'second']) t.match(await run(), /service\.cjs:2/, start);
});

t.test('without their variables, no extension is read', async (t) => {
  t.strictSame(await runBundle(t, {}), { extensions: [], statuses: [404, 404, 200] });
});

t.test('all code of a start is in the file whose compiled code is kept', async (t) => {
  const { names } = await loadBundle(t, {});
  t.strictSame(names, ['rolldown-runtime.cjs', 'server.js', 'service.cjs']);
});

t.test('each extension is read only when configured', async (t) => {
  t.strictSame(await runBundle(t, GATE), {
    extensions: ['gate-extension.cjs'],
    statuses: [403, 404, 200],
  });
  t.strictSame(await runBundle(t, { SITES }), {
    extensions: ['drop-in-extension.cjs'],
    statuses: [404, 200, 200],
  });
});
