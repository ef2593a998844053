// The test commands print their usage and run nothing.
import { join } from 'node:path';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';

const commands = [['test.js'], ['test.js', '--fast'], ['test.js', '--rest'], ['test-nodes.js']] as const;

for (const [file, ...options] of commands) {
  t.test(`${[file, ...options].join(' ')} --help prints the usage alone`, async (t) => {
    const { code, out, error } = await spawnCommand(join(projectRoot, 'tools', file), [...options, '--help']);
    t.match(out, /^usage: npm (test|run test:nodes) /);
    t.strictSame([code, error], [0, '']);
  });
}
