// The folder in memory in which a run writes: it goes with the run, or with the next one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import t from 'tap';

const program = new URL('../../../test-folder.js', import.meta.url).href;
/** Makes the folder, says so, and ends when its input does. */
const code = `
  const { provideTestFolder } = await import(${JSON.stringify(program)});
  console.log(JSON.stringify(provideTestFolder()));
  for await (const _ of process.stdin);
`;

/** A process that has its folder; `TMPDIR` is as said. */
async function start(folder?: string) {
  const { TMPDIR: _, ...env } = process.env;
  const named = folder === undefined ? env : { ...env, TMPDIR: folder };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    env: named,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const { TMPDIR } = JSON.parse(line) as { TMPDIR?: string };
  return { child, ended, TMPDIR };
}

t.test('a folder that somebody names is taken', async (t) => {
  const { child, ended, TMPDIR } = await start(t.testdir());
  child.stdin.end();
  await ended;
  t.equal(TMPDIR, undefined);
});

t.test('the folder goes with the run; that of a killed run with the next', async (t) => {
  const killed = await start();
  if (killed.TMPDIR === undefined) t.comment('this machine has too little memory for it');
  killed.child.kill('SIGKILL');
  await killed.ended;
  if (killed.TMPDIR !== undefined) mkdirSync(`${killed.TMPDIR}/left`);
  const running = await start();
  const next = await start();
  t.equal(existsSync(killed.TMPDIR ?? ''), false, 'nobody uses it any more');
  t.equal(existsSync(running.TMPDIR ?? ''), running.TMPDIR !== undefined, 'this one is in use');
  for (const { child, ended, TMPDIR } of [running, next]) {
    child.stdin.end();
    await ended;
    t.equal(existsSync(TMPDIR ?? ''), false, 'its run has ended');
  }
});
