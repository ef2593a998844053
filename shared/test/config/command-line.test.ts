// A wrong command line is explained in one line above the usage.

import { callCommand } from '@tollgate/test-support/command.js';
import t from 'tap';
import { runCommand, UsageError } from '../../src/config/command-line.js';

const USAGE = `usage: tool add EMAIL [--replace]
       tool list
add needs an address.`;

async function linesOf(args: readonly string[], usage = USAGE, message = ''): Promise<string[]> {
  const { code, out, error } = await callCommand(() =>
    runCommand({ name: 'tool', usage, args }, async () => {
      throw new UsageError(message);
    }),
  );
  t.strictSame([code, out], [2, '']);
  t.ok(error.endsWith(`${usage}\n`));
  return error
    .slice(0, -usage.length - 1)
    .split('\n')
    .slice(0, -1);
}

t.test('arguments that fit no form are named, without their values', async (t) => {
  for (const [args, mistake] of [
    [['nope'], "tool: Unknown command 'nope'"],
    [['tool'], "tool: Unknown command 'tool'"],
    [['needs'], "tool: Unknown command 'needs'"],
    [['__proto__'], "tool: Unknown command '__proto__'"],
    [['add'], "tool: Missing or wrong arguments of 'add'"],
    [['add', 'a@x.org', 'secret'], "tool: Missing or wrong arguments of 'add'"],
    [['--replace', 'list'], "tool: Missing or wrong arguments of 'list'"],
    [['add', '--nope=secret'], "tool: Unknown option '--nope'"],
    [['--nope'], "tool: Unknown option '--nope'"],
    [['--replace'], 'tool: Wrong arguments'],
  ] as const) {
    t.strictSame(await linesOf(args), [mistake], args.join(' '));
  }
  t.strictSame(await linesOf(['secret'], 'usage: tool'), ['tool: Wrong arguments']);
});

t.test('without arguments the usage is enough, and a message is kept', async (t) => {
  t.strictSame(await linesOf([]), []);
  t.strictSame(await linesOf(['add'], USAGE, 'EMAIL is too long'), ['tool: EMAIL is too long']);
});
