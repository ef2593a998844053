// Before a run, compiled files without a source are removed, and nothing else.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { bundledPage } from '../browser/bundled-page.js';

const { removeStale } = await import(join(projectRoot, 'tools', 'stale-output.js'));

t.test('a second run lost the scripts of the bundled page', async (t) => {
  const { folder } = await bundledPage();
  removeStale();
  t.ok(existsSync(join(folder, 'app.js')));
});

t.test('a compiled test without its source is removed', async (t) => {
  const stale = join(projectRoot, 'tests', 'dist', 'test-run', 'gone.test.js');
  writeFileSync(stale, '');
  t.teardown(() => rmSync(stale, { force: true }));
  removeStale();
  t.notOk(existsSync(stale));
  t.ok(existsSync(stale.replace('gone', 'stale-output')));
});
