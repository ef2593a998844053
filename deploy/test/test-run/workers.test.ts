// The workers of `npm test`: each file is told apart from the others of its process, whatever it does.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

interface Ended {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly title: string }[];
  readonly said: string;
}

interface Workers {
  startWorkers(
    paths: readonly string[],
    options: { jobs: number; limits: object; onEnded(file: Ended): void },
  ): Promise<void>;
}

const { startWorkers }: Workers = await import(new URL('../../../test-workers.js', import.meta.url).href);

/** Runs these programs as files, in this order, in one worker. */
async function run(t: Test, programs: Readonly<Record<string, string>>): Promise<Record<string, Ended>> {
  const folder = t.testdir();
  const paths = Object.entries(programs).map(([name, program]) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, `import t from 'tap';\n${program}`);
    return path;
  });
  const ended: Ended[] = [];
  const limits = { fileMs: 5_000, frozenMs: 4_000, endMs: 200 };
  await startWorkers(paths, { jobs: 1, limits, onEnded: (file) => ended.push(file) });
  t.same(
    ended.map(({ path }) => path),
    paths,
    'each has ended, in turn',
  );
  return Object.fromEntries(ended.map((file, at) => [Object.keys(programs)[at], file]));
}

const passing = `t.test('one', async (t) => { t.pass('a'); t.pass('b'); });`;

t.test('files share a process, and each has its own tests', async (t) => {
  const files = await run(t, {
    first: `globalThis.pid = process.pid; ${passing}`,
    failing: `t.test('sum', async (t) => { t.equal(1 + 1, 3); t.pass(); });`,
    skipping: `t.test('later', { skip: true }, () => {});`,
    second: `t.equal(globalThis.pid, process.pid); t.teardown(() => console.error('removed'));`,
  });
  t.match(files, {
    first: { passed: 2, failed: 0, said: '' },
    failing: { passed: 1, failed: 1, failures: [{ title: 'sum › should be equal' }] },
    skipping: { passed: 0, failed: 0, skipped: 1 },
    second: { passed: 1, failed: 0, said: 'removed\n' },
  });
});

t.test('what goes wrong beside an assertion fails its own file', async (t) => {
  const files = await run(t, {
    rejection: `t.test('one', async () => { Promise.reject(new Error('nobody waits')); await new Promise(setImmediate); });`,
    top: `throw new Error('at the top');`,
    empty: ``,
    ending: `t.test('one', async () => { console.error('last words'); process.exit(0); });`,
    hanging: `t.setTimeout(100); t.test('for ever', () => new Promise(() => {}));`,
    frozen: `t.test('one', async () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
    after: passing,
  });
  const failed = (title: string | RegExp) => ({ failed: 1, failures: [{ title }] });
  t.match(files, {
    rejection: failed('one › nobody waits'),
    top: failed('at the top'),
    empty: failed('the file asserts nothing'),
    ending: { ...failed('the process ended with 0'), said: 'last words\n' },
    hanging: failed('for ever › timeout!'),
    frozen: failed('the process ended with SIGKILL'),
    after: { passed: 2, failed: 0, said: '' },
  });
});

t.test('a file that leaves something has failed, and the next one does not find it', async (t) => {
  const files = await run(t, {
    server: `import { createServer } from 'node:net'; createServer().listen(0); ${passing}`,
    variable: `process.env.LEFT = 'x'; ${passing}`,
    folder: `process.chdir('/'); ${passing}`,
    code: `process.exitCode = 3; ${passing}`,
    after: `t.notOk(process.env.LEFT); t.not(process.cwd(), '/'); t.equal(process.exitCode, undefined);`,
  });
  const left = (title: string) => ({ passed: 2, failed: 1, failures: [{ title }] });
  t.match(files, {
    server: left('the file left behind: Server'),
    variable: left('the file changed the variable LEFT of its process'),
    folder: left('the file changed the folder to /'),
    code: left('the file set the exit code 3'),
    after: { passed: 3, failed: 0 },
  });
});
