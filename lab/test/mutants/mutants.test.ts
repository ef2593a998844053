// Tests of the mutants: the changes, and finding recorded ones again.
import { join } from 'node:path';
import { spawnCommand } from '@tollgate/test-support/command.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import { draw } from '../../src/mutants/draw.js';
import { canLoad, placeOf } from '../../src/mutants/mutant.js';
import { changesOfLines } from '../../src/mutants/mutate-lines.js';
import { changesOf } from '../../src/mutants/mutate-module.js';
import { findSources } from '../../src/mutants/sources.js';

/** All mutants of a text. */
function mutantsOf(text: string, changes = changesOf(text)): string[] {
  return changes
    .map(({ start, end, text: mutant }) => text.slice(0, start) + mutant + text.slice(end))
    .sort();
}

t.test('a module loses conditions, operators, calls, bodies and values', async (t) => {
  t.strictSame(mutantsOf('if (a < b) f();'), [
    'if (a < b) false && f();',
    'if (a <= b) f();',
    'if (false) f();',
    'if (true) f();',
  ]);
  t.strictSame(mutantsOf('function f() { return !x; }'), [
    'function f() { return x; }',
    'function f() { return; return !x; }',
  ]);
  t.strictSame(mutantsOf('x = [7, true];'), ['x = [7, false];', 'x = [8, true];']);
  t.strictSame(mutantsOf("x = { a: 'b' + c };"), []);
});

t.test('a script and a gateway are changed line by line, and comments are not', async (t) => {
  const script = "if n == 1 then -- n == 2\nredis.call('DEL', key)";
  t.strictSame(mutantsOf(script, changesOfLines('a.lua', script)), [
    "if false then -- n == 2\nredis.call('DEL', key)",
    'if n == 1 then -- n == 2\n',
    "if n == 2 then -- n == 2\nredis.call('DEL', key)",
    "if n ~= 1 then -- n == 2\nredis.call('DEL', key)",
    "if true then -- n == 2\nredis.call('DEL', key)",
  ]);
  const gateway = 'location = /a { # = /b\n  keepalive 8;\n}';
  t.strictSame(mutantsOf(gateway, changesOfLines('a.nginx.conf', gateway)), [
    'location /a { # = /b\n  keepalive 8;\n}',
    'location = /a { # = /b\n  \n}',
    'location = /a { # = /b\n  keepalive 80;\n}',
  ]);
});

t.test('a mutant is found again, also after its file has moved, and not when its line is gone', async (t) => {
  const sources = findSources();
  const some = sources.filter(({ file }) => file.startsWith('shared/src/pow/'));
  const drawn = draw(some, 20, 7);
  t.equal(drawn.length, 20);
  t.strictSame(draw(some, 20, 7), drawn);
  for (const mutant of drawn) {
    const source = some.find(({ file }) => file === mutant.file)!;
    t.ok(canLoad(mutant, source));
    const place = placeOf(mutant, sources)!;
    t.equal(place.source.file, mutant.file);
    t.not(place.changed.slice(place.offset), place.text.slice(place.offset));
    t.equal(place.changed.slice(0, place.offset), place.text.slice(0, place.offset));
    // The body of a function begins after its first line.
    if (mutant.mutant.startsWith(mutant.line)) t.equal(place.text[place.offset], '\n');
    t.equal(placeOf({ ...mutant, line: 'a line of no file' }, sources), undefined);
  }
  const moved = { ...drawn[0]!, file: drawn[0]!.file.replace('shared/', 'elsewhere/') };
  t.equal(placeOf(moved, some)?.source.file, drawn[0]!.file);
});

t.test('a limit that is no number is one line above the usage, and nothing is tried', async (t) => {
  for (const [args, mistake] of [
    [['draw', '--count', 'many'], '--count must be a whole number'],
    [['again', '--tries', '1.5'], '--tries must be a whole number'],
    [['again', '--minutes', 'x'], '--minutes must be a number above 0'],
    [['again', '--nope'], "Unknown option '--nope'"],
  ] as const) {
    const command = join(projectRoot, 'lab', 'dist', 'src', 'mutants', 'command.js');
    const { code, out, error } = await spawnCommand(command, [...args]);
    t.strictSame([code, out], [2, '']);
    t.ok(error.startsWith(`mutants: ${mistake}\nusage: mutants `), error);
  }
});
