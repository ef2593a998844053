// The bundle of challenge-service: an extension is a separate file, which only a configured service reads.
import { basename } from 'node:path';
import { freePort } from '@tollgate/test-support/free-port.js';
import { loadedFiles } from '@tollgate/test-support/loaded-files.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { bundleOf } from '@tollgate/tools/launcher/service-program.js';
import t, { type Test } from 'tap';

const SITES = JSON.stringify({ shop: { secret_sha256: '0'.repeat(64), hostnames: ['shop.example'] } });
const GATE = { GATE: '{"sites":["http://localhost:8081"]}', TRUST_PROXY: 'loopback' };

/** Returns the extensions whose file the bundle has loaded, and its responses to a gateway and to a site's server. */
async function runBundle(t: Test, variables: Readonly<Record<string, string>>) {
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
  const names = files.map((file) => basename(file).replace(/-[\w-]{8}\.cjs$/, '.cjs'));
  t.ok(names.includes('service.cjs'));
  const extensions = names.filter((name) => name.endsWith('-extension.cjs'));
  return { extensions: [...new Set(extensions)], statuses };
}

t.test('without their variables, no extension is read', async (t) => {
  t.strictSame(await runBundle(t, {}), { extensions: [], statuses: [404, 404, 200] });
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
