// Extensions: the service loads the files of configured extensions only.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadedFiles } from '@tollgate/test-support/loaded-files.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { readChallengeConfig } from '../src/config.js';
import { knownExtensions, loadAllExtensions, loadExtensions } from '../src/extensions.js';

const compiled = fileURLToPath(new URL('../', import.meta.url));
const SERVER = fileURLToPath(new URL('../src/server.js', import.meta.url));

/** The extension folders from which a service has loaded files, with the files of each. */
async function loadedBy(t: Test, variables: Readonly<Record<string, string>>) {
  const files = await loadedFiles(t, SERVER, {
    DATA_DIR: tempDir(t),
    PUBLIC_URL: 'http://localhost:8080',
    CHALLENGE_PORT: '0',
    CHALLENGE_ADMIN_PORT: '0',
    DRAIN_SECONDS: '0',
    ...variables,
  });
  const own = files.map((file) => relative(compiled, file).replaceAll('\\', '/'));
  t.ok(own.includes('src/service.js'));
  return own.filter((file) => file.startsWith('extensions/'));
}

const GATE = { GATE: '{"sites":["http://localhost:8081"]}', TRUST_PROXY: 'loopback' };
const SITES = JSON.stringify({ shop: { secret_sha256: '0'.repeat(64), hostnames: ['shop.example'] } });

t.test('without their variables no extension file is loaded', async (t) => {
  t.strictSame(await loadedBy(t, {}), []);
});

t.test('a configured gate is loaded, and nothing else', async (t) => {
  const files = await loadedBy(t, GATE);
  for (const file of ['gate-extension', 'routes/check-gate', 'page/gate-page', 'page/texts/ar']) {
    t.ok(files.includes(`extensions/gate/${file}.js`), file);
  }
  t.strictSame(
    files.filter((file) => !file.startsWith('extensions/gate/')),
    [],
  );
});

t.test('the drop-in is loaded when sites are configured, and nothing else', async (t) => {
  const files = await loadedBy(t, { SITES });
  for (const file of ['drop-in-extension', 'routes/siteverify', 'redeemer', 'site-variables']) {
    t.ok(files.includes(`extensions/drop-in/${file}.js`), file);
  }
  t.strictSame(
    files.filter((file) => !file.startsWith('extensions/drop-in/')),
    [],
  );
});

t.test('an extension is loaded for each non-empty variable of its own', async (t) => {
  for (const [at, extension] of (await loadAllExtensions()).entries()) {
    const names = Object.keys(extension.variables);
    t.strictSame([...(knownExtensions[at]?.variables ?? [])].sort(), names.sort());
    for (const name of names) {
      t.strictSame(await loadExtensions({ [name]: '1' }), [extension]);
      t.strictSame(await loadExtensions({ [name]: '' }), []);
    }
    const config = readChallengeConfig({ CHALLENGE_SECRET: 'c', ...extension.example }, [extension]);
    t.ok(extension.open(config, '/'), 'its example opens it');
  }
});

t.test('an invalid variable stops the start even where it would configure nothing', async (t) => {
  const env = { RATE_LIMIT_GATE: 'many' };
  const extensions = await loadExtensions(env);
  t.throws(() => readChallengeConfig(env, extensions), {
    message: 'RATE_LIMIT_GATE must be a whole number from 1 to 1000000, not "many"',
  });
  const config = readChallengeConfig({ CHALLENGE_SECRET: 'c' }, extensions);
  t.equal(extensions[0]?.open(config, '/'), undefined, 'a limit alone configures no gate');
});

t.test("an extension's misspelt variable is logged although it loads nothing", async (t) => {
  const { warnings } = readChallengeConfig({
    CHALLENGE_SECRET: 'c',
    RATE_LIMIT_GATES: '1',
    SITE: '{}',
    GATE_SITES: '[]',
  });
  for (const line of [
    'GATE_SITES is not known',
    'RATE_LIMIT_GATES is not known: RATE_LIMIT_GATE may be meant',
    'SITE is not known: SITES may be meant',
  ]) {
    t.ok(warnings.includes(line), line);
  }
});
