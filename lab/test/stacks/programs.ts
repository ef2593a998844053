// Servers in other languages, each for one test.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';

interface ProgramOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it can be used; asked until it resolves with true. */
  readonly isUp: () => Promise<boolean>;
}

/** Starts a program, and resolves once it can be used. It is stopped at the end of the test. */
export async function startProgram(
  t: Pick<Test, 'teardown'>,
  [command = '', ...args]: readonly string[],
  { cwd, env = {}, isUp }: ProgramOptions,
): Promise<ChildProcess> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: cwd, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its workers end with it.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-5000);
    });
  }
  const closed = once(child, 'exit');
  const end = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
  };
  t.teardown(async () => {
    end('SIGTERM');
    const timer = setTimeout(end, 20_000, 'SIGKILL');
    await closed;
    clearTimeout(timer);
  });
  while (child.exitCode === null) {
    if (await isUp()) return child;
    await pause(50);
  }
  throw new Error(`${command} has ended with ${child.exitCode}: ${output}`);
}

/** Resolves with true if the address responds. */
export const responds = (url: string): Promise<boolean> =>
  fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
