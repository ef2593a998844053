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

t.test('a wrong argument is one line, before anything is measured', async (t) => {
  for (const [args, mistake] of [
    [['--nope'], /^bench: unknown benchmark --nope; available: [^\n]*\n$/],
    [['http', '--nope'], /^bench: Unknown option '--nope'; see npm run bench -- http --help\n$/],
    [['peers', '--rounds'], /^bench: Option '--rounds <value>' argument missing; see [^\n]*\n$/],
    [['solver', 'x'], /^bench: Unexpected argument 'x'; see [^\n]*\n$/],
    [['growth', '--count', 'many'], /^bench: Option '--count' requires a positive number; see [^\n]*\n$/],
    [['peers', 'wrok'], /^bench: Unknown argument 'wrok'; available: work, tokens, [^\n]*\n$/],
    [['load', '--only', 'x', '--json', '--size', '1'], /^bench: Unknown option '--size'; see [^\n]*\n$/],
  ] as const) {
    const { code, out, error } = await spawnCommand(program, [...args]);
    t.strictSame([code, out], [2, '']);
    t.match(error, mistake);
  }
});
