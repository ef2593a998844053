// The workers of `npm test`: each file is isolated from the others of its process, whatever it does.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

interface Ended {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly { readonly title: string }[];
  readonly said: string;
  readonly busySeconds?: number;
}

interface Workers {
  startWorkers(
    paths: readonly string[],
    options: { jobs: number; limits: object; onEnded(file: Ended): void },
  ): Promise<void>;
}

interface Load {
  nextCount(
    now: number,
    seen: { idle: number; freeBytes: number },
    bounds: { fewest: number; most: number },
  ): number;
}

const load = <Module>(name: string): Promise<Module> =>
  import(new URL(`../../../tools/${name}`, import.meta.url).href);
const { startWorkers } = await load<Workers>('test-workers.js');
const { nextCount } = await load<Load>('test-load.js');

/** Runs these programs as files, in this order, in one worker. */
async function run(
  t: Test,
  programs: Readonly<Record<string, string>>,
  limits: object = {},
): Promise<Record<string, Ended>> {
  const folder = t.testdir();
  const paths = Object.entries(programs).map(([name, program]) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, `import t from 'tap';\n${program}`);
    return path;
  });
  const ended: Ended[] = [];
  await startWorkers(paths, {
    jobs: 1,
    limits: { endMs: 200, ...limits },
    onEnded: (file) => ended.push(file),
  });
  t.same(
    ended.map(({ path }) => path),
    paths,
    'each has ended, in turn',
  );
  return Object.fromEntries(ended.map((file, at) => [Object.keys(programs)[at], file]));
}

/** Keeps a processor busy for 0.3 s, in a separate process. */
const computing = `const { spawnSync } = await import('node:child_process');
  spawnSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 300_000);']);`;
const passing = `t.test('one', async (t) => { t.pass('a'); t.pass('b'); });`;

t.test('files share a process, and each has its own tests', async (t) => {
  const files = await run(t, {
    first: `globalThis.pid = process.pid; ${computing} ${passing}`,
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
  const { busySeconds } = files.first ?? {};
  if (process.platform !== 'linux') t.equal(busySeconds, undefined);
  else t.ok(busySeconds! >= 0.3, `${busySeconds} s of the processor, with what the file started`);
});

t.test(
  'more files run at once while processors are idle and memory is free, fewer on a busy machine',
  async (t) => {
    const bounds = { fewest: 3, most: 8 };
    const seen = (idle: number, freeBytes = 8e9) => ({ idle, freeBytes });
    t.equal(nextCount(3, seen(0.5), bounds), 4);
    t.equal(nextCount(8, seen(0.5), bounds), 8, 'never more than the bound');
    t.equal(nextCount(5, seen(0.5, 1e9), bounds), 5, 'nor more than the memory allows');
    t.equal(nextCount(5, seen(0.1), bounds), 5);
    t.equal(nextCount(5, seen(0), bounds), 4);
    t.equal(nextCount(3, seen(0), bounds), 3, 'never fewer than the bound');
  },
);

t.test('a failure outside an assertion fails its own file', async (t) => {
  const files = await run(
    t,
    {
      rejection: `t.test('one', async () => { Promise.reject(new Error('nobody waits')); await new Promise(setImmediate); });`,
      top: `throw new Error('at the top');`,
      empty: ``,
      ending: `t.test('one', async () => { console.error('last words'); process.exit(0); });`,
      hanging: `t.setTimeout(100); t.test('for ever', () => new Promise(() => {}));`,
      frozen: `t.test('one', async () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
      after: passing,
    },
    { fileMs: 5_000, frozenMs: 4_000 },
  );
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

t.test('a hanging file reports where it waits', async (t) => {
  const endless = `t.test('outer', (t) => t.test('inner', () => new Promise(() => {})));`;
  const files = await run(t, { endless, after: passing }, { fileMs: 1_500, frozenMs: 60_000 });
  t.match(files, {
    endless: {
      failures: [{ title: 'outer › inner › timeout!' }],
      said: /still in .*endless\.test\.mjs › outer › inner, with /,
    },
    after: { passed: 2, failed: 0, said: '' },
  });
});

t.test('a file that leaves something behind fails, and the next one does not find it', async (t) => {
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

t.test('a worker and its child processes end when `npm test` is killed', async (t) => {
  const path = join(t.testdir(), 'endless.test.mjs');
  writeFileSync(
    path,
    `import { spawn } from 'node:child_process'; import t from 'tap';
    t.test('for ever', async () => {
      const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'ignore'] });
      process.send({ pid: server.pid });
      await new Promise(() => {});
    });`,
  );
  const worker = fork(fileURLToPath(new URL('../../../tools/test-worker.js', import.meta.url)), {
    env: { ...process.env, TAP: '1' },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  t.teardown(() => worker.kill('SIGKILL'));
  await once(worker, 'message');
  worker.send({ path, timeoutMs: 60_000 });
  const [{ pid }] = (await once(worker, 'message')) as [{ pid: number }];
  t.equal(process.kill(pid, 0), true, 'the server runs');
  t.teardown(() => worker.stdout?.closed || process.kill(pid, 'SIGKILL'));
  // The output has two writers: it closes when both have ended.
  const outputClosed = once(worker.stdout!.resume(), 'close');
  worker.disconnect();
  t.strictSame(await once(worker, 'exit'), [1, null]);
  t.strictSame(await outputClosed, [false], 'so has the server');
});
