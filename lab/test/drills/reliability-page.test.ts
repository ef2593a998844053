// The document of the drills.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { drills } from '../../src/drills/catalogue.js';
import { rowStart } from '../../src/drills/reliability-page.js';

t.test('docs/reliability.md has a row for each drill, and no other', async (t) => {
  const rows = readFileSync(join(projectRoot, 'docs', 'reliability.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| `[\w-]+`(?: ‡)? \| .* \| (?:passed|\*\*failed|not run)/.test(line));
  t.same(rows.length, drills.length);
  for (const drill of drills)
    t.ok(
      rows.some((row) => row.startsWith(`${rowStart(drill)} |`)),
      drill.name,
    );
});
