// A run's folder in memory: removed with the run, or by a later one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import t from 'tap';

const program = new URL('../../../tools/test-folder.js', import.meta.url).href;
/** Creates the folder, prints it, and exits when its input ends. */
const code = `
  const { provideTestFolder } = await import(${JSON.stringify(program)});
  console.log(JSON.stringify(provideTestFolder()));
  for await (const _ of process.stdin);
`;

/** A process that has its folder; `TMPDIR` as given. */
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

t.test('a folder set by the user is used', async (t) => {
  const { child, ended, TMPDIR } = await start(t.testdir());
  child.stdin.end();
  await ended;
  t.equal(TMPDIR, undefined);
});

t.test('the folder is removed with the run, however it ends', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', undefined] as const) {
    const { child, ended, TMPDIR } = await start();
    if (TMPDIR === undefined) t.comment('this machine has too little memory for it');
    else writeFileSync(`${TMPDIR}/left`, '');
    if (signal === undefined) child.stdin.end();
    else child.kill(signal);
    await ended;
    t.equal(existsSync(TMPDIR ?? ''), false, signal ?? 'by itself');
  }
});

t.test('the folder of a killed run is removed an hour later, and a folder in use stays', async (t) => {
  const killed = await start();
  killed.child.kill('SIGKILL');
  await killed.ended;
  const running = await start();
  const anHourAgo = new Date(Date.now() - 61 * 60 * 1000);
  for (const { TMPDIR } of [killed, running]) if (TMPDIR) utimesSync(TMPDIR, anHourAgo, anHourAgo);
  const next = await start();
  t.equal(existsSync(killed.TMPDIR ?? ''), false);
  t.equal(existsSync(running.TMPDIR ?? ''), running.TMPDIR !== undefined);
  for (const { child, ended } of [running, next]) {
    child.stdin.end();
    await ended;
  }
});
