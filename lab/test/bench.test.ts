// `npm run bench` with --help prints facts and measures nothing.
import { join } from 'node:path';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import peers from '../src/programs/peers.js';

const program = join(projectRoot, 'lab', 'dist', 'src', 'run.js');

t.test('--help prints the usage and the programs; after a name, its title and method', async (t) => {
  const all = await spawnCommand(program, ['--help']);
  t.match(all.out, /^usage: npm run bench /);
  t.match(all.out, `peers           ${peers.title}\n`);
  t.strictSame([all.code, all.error], [0, '']);
  const one = await spawnCommand(program, ['peers', '--help']);
  t.strictSame(one, { code: 0, out: `${peers.title}\n${peers.method}\n`, error: '' });
});
