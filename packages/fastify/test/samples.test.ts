// Documentation samples compile when pasted into strict TypeScript.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

t.test('the bearer of the sample was possibly null', (t) => {
  const page = readFileSync(join(root, 'docs/sessions/verify-tokens.md'), 'utf8');
  const [, sample = ''] = /```js\n(\/\/ A service that verifies the bearers[\s\S]*?)```/.exec(page) ?? [];
  t.match(sample, /bearerGuard/);
  // Inside the package, whose dependencies it finds.
  const folder = mkdtempSync(join(root, 'packages/fastify/dist/sample-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sample.mts');
  writeFileSync(file, sample);
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node'.split(
      ' ',
    );
  const compiler = join(root, 'node_modules/.bin/tsc');
  try {
    execFileSync(compiler, [...options, file], { cwd: root, encoding: 'utf8' });
    t.pass('it compiles');
  } catch (error) {
    t.equal((error as { stdout?: string }).stdout, '');
  }
  t.end();
});
