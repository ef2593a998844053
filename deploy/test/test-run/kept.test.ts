// What `npm test` keeps for further clones: made once, and never taken for whole when it is not.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';

interface Kept {
  keep(
    name: string,
    make: (part: string) => Promise<boolean>,
    options: { cache: string; works?: (folder: string) => Promise<boolean>; isShared?: boolean },
  ): Promise<string | undefined>;
}

const { linkTree }: { linkTree(from: string, to: string): void } = await import(
  new URL('../../../link-tree.js', import.meta.url).href
);
const { keep }: Kept = await import(new URL('../../../kept.js', import.meta.url).href);

/** A cache of its own, and something to keep in it that counts how often it is made. */
function startCache(t: Test) {
  const cache = join(tempDir(t), 'cache');
  const made: string[] = [];
  const make = async (part: string) => {
    made.push(part);
    mkdirSync(join(part, 'lib'));
    writeFileSync(join(part, 'program'), 'program');
    writeFileSync(join(part, 'lib', 'data'), 'data');
    return true;
  };
  return { cache, made, make };
}

t.test('what is kept is made once, and has its name only when it is complete', async (t) => {
  const { cache, made, make } = startCache(t);
  const folder = await keep('one', make, { cache });
  t.equal(folder, join(cache, 'one'));
  t.not(made[0], folder, 'it is filled under another name');
  t.equal(await keep('one', make, { cache }), folder);
  t.equal(made.length, 1);
  t.strictSame(readdirSync(cache), ['one']);
});

t.test('what was kept and is not whole is made again', async (t) => {
  const { cache, made, make } = startCache(t);
  const folder = join(cache, 'one');
  const damages: Readonly<Record<string, () => void>> = {
    'there is only a part, without a stamp': () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'program'), 'program');
    },
    'a file is gone': () => rmSync(join(folder, 'lib', 'data')),
    'a file is cut off': () => writeFileSync(join(folder, 'program'), ''),
    'a file has been changed': () => appendFileSync(join(folder, 'program'), 'x'),
    'a file has been added': () => writeFileSync(join(folder, 'more'), ''),
  };
  for (const [name, damage] of Object.entries(damages)) {
    damage();
    const before = made.length;
    t.equal(await keep('one', make, { cache }), folder, name);
    t.equal(made.length, before + 1, name);
    t.equal(readFileSync(join(folder, 'program'), 'utf8'), 'program', name);
    t.notOk(existsSync(join(folder, 'more')), name);
  }
});

t.test('what cannot be made, or not to its end, leaves nothing', async (t) => {
  const { cache, make } = startCache(t);
  t.equal(await keep('one', async (part) => (await make(part)) && false, { cache }), undefined);
  const broken = async (part: string) => {
    await make(part);
    throw new Error('no space');
  };
  await t.rejects(keep('one', broken, { cache }), { message: 'no space' });
  t.strictSame(readdirSync(cache), []);
});

t.test('what no longer works on the machine is made again', async (t) => {
  const { cache, made, make } = startCache(t);
  await keep('one', make, { cache });
  await keep('one', make, { cache, works: async () => false });
  t.equal(made.length, 2);
});

t.test('of two runs at once both get it whole', async (t) => {
  const { cache, make } = startCache(t);
  const both = await Promise.all([keep('one', make, { cache }), keep('one', make, { cache })]);
  t.strictSame(both, [join(cache, 'one'), join(cache, 'one')]);
  t.equal(readFileSync(join(cache, 'one', 'lib', 'data'), 'utf8'), 'data');
  t.strictSame(readdirSync(cache), ['one']);
});

t.test('without a cache the clone has its own', async (t) => {
  const { cache, make } = startCache(t);
  const file = join(tempDir(t), 'file');
  writeFileSync(file, '');
  const name = `test-${process.pid}`;
  const folder = await keep(name, make, { cache: join(file, 'cache') });
  t.teardown(() => rmSync(folder ?? '', { recursive: true, force: true }));
  t.match(folder, /node_modules[\\/]\.tollgate-kept[\\/]test-\d+$/);
  t.notOk(existsSync(cache));
  const made = await keep(name, make, { cache: join(file, 'cache'), isShared: true });
  t.equal(made, undefined, 'what is for other clones alone is not made');
});

t.test('what no run has used for a month goes when something new comes', async (t) => {
  const { cache, make } = startCache(t);
  const age = (name: string, days: number) => {
    const used = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    const stamp = join(cache, name, '.tollgate-complete');
    utimesSync(existsSync(stamp) ? stamp : join(cache, name), used, used);
  };
  for (const name of ['forgotten', 'rare', 'used']) await keep(name, make, { cache });
  mkdirSync(join(cache, 'killed.part-abcdef'));
  for (const name of ['forgotten', 'used']) age(name, 31);
  age('killed.part-abcdef', 2);
  age('rare', 29);
  await keep('used', make, { cache });
  t.strictSame(readdirSync(cache).sort(), ['forgotten', 'killed.part-abcdef', 'rare', 'used']);
  await keep('new', make, { cache });
  t.strictSame(readdirSync(cache).sort(), ['new', 'rare', 'used']);
});

t.test('what is being made stays, whatever time its folder gets from what is unpacked into it', async (t) => {
  const { cache, make } = startCache(t);
  const longAgo = new Date('2020-01-01');
  const folder = await keep(
    'unpacked',
    async (part) => {
      utimesSync(part, longAgo, longAgo);
      await keep('beside', make, { cache });
      return make(part);
    },
    { cache },
  );
  t.equal(folder, join(cache, 'unpacked'));
  t.strictSame(readdirSync(cache).sort(), ['beside', 'unpacked']);
});

t.test('the files of a tree get further names, and its links stay what they are', async (t) => {
  const from = join(tempDir(t), 'from');
  mkdirSync(join(from, 'lib', 'empty'), { recursive: true });
  writeFileSync(join(from, 'lib', 'data'), 'data');
  symlinkSync(join('..', 'elsewhere'), join(from, 'link'));
  const to = join(tempDir(t), 'a', 'to');
  linkTree(from, to);
  t.strictSame(readdirSync(to, { recursive: true, encoding: 'utf8' }).sort(), [
    'lib',
    join('lib', 'data'),
    join('lib', 'empty'),
    'link',
  ]);
  t.equal(readlinkSync(join(to, 'link')), join('..', 'elsewhere'));
  const [source, target] = [from, to].map((folder) => statSync(join(folder, 'lib', 'data')));
  t.equal(target?.ino, source?.ino);
});

t.test('what npm writes in place is a file of its own', async (t) => {
  const [from, to] = [tempDir(t), join(tempDir(t), 'to')];
  writeFileSync(join(from, '.package-lock.json'), '{}');
  linkTree(from, to);
  appendFileSync(join(to, '.package-lock.json'), ' ');
  t.equal(readFileSync(join(from, '.package-lock.json'), 'utf8'), '{}');
});
