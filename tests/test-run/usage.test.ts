// The commands of the tools print their usage and run nothing.
import { join } from 'node:path';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';

const commands = [
  ['test.js'],
  ['test.js', '--fast'],
  ['test.js', '--rest'],
  ['test-nodes.js'],
  ['image/check.js'],
  ['release-check.js'],
  ['compare-interfaces.js'],
  ['start.js'],
] as const;

for (const [file, ...options] of commands) {
  t.test(`${[file, ...options].join(' ')} --help prints the usage alone`, async (t) => {
    const { code, out, error } = await spawnCommand(join(projectRoot, 'tools', file), [...options, '--help']);
    t.match(out, /^usage: npm (test|start|run [a-z:]+)\b/);
    t.strictSame([code, error], [0, '']);
  });
  t.test(
    `${[file, ...options].join(' ')} rejects an unknown option in one line above the usage`,
    async (t) => {
      const args = [...options, '--nope'];
      const { code, out, error } = await spawnCommand(join(projectRoot, 'tools', file), args);
      t.match(error, /^[a-z:]+: Unknown option '--nope'\nusage: npm /);
      t.notMatch(error, /^ {4}at /m, 'without a stack trace');
      t.strictSame([code, out], [2, '']);
    },
  );
}

t.test('other wrong arguments get one line above the usage too', async (t) => {
  for (const [file, args, mistake] of [
    ['test-nodes.js', ['latest'], "test:nodes: 'latest' is no line of Node, such as 24"],
    ['compare-interfaces.js', [], 'interfaces: One REF is needed'],
    ['compare-interfaces.js', ['HEAD', 'HEAD'], 'interfaces: One REF is needed'],
    ['compare-interfaces.js', ['no-such-branch'], "interfaces: There is no commit 'no-such-branch'"],
    ['start.js', ['8081'], "start: Unexpected argument '8081'"],
  ] as const) {
    const { code, out, error } = await spawnCommand(join(projectRoot, 'tools', file), [...args]);
    t.ok(error.startsWith(`${mistake}`), error);
    t.match(error, /^[^\n]*\nusage: npm /);
    t.strictSame([code, out], [2, '']);
  }
});
