// Runs a command as an operator does, in a process of its own, or by a call in the process of the test.

import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What became of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Starts the program of a command. @param typed its standard input @param cwd its working folder */
export async function spawnCommand(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  typed = '',
  cwd?: string,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [path, ...args], { env: { PATH: process.env.PATH, ...env }, cwd });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  // A command that reads nothing ends before it has been given anything.
  child.stdin.on('error', () => {});
  child.stdin.end(typed);
  const [code] = await once(child, 'close');
  return { code, out, error };
}

const calls = new AsyncLocalStorage<{ out: string; error: string }>();
let isListening = false;

/** Calls a command, which prints with `console.log` and `console.error` and resolves with its exit code. */
export async function callCommand(command: () => Promise<number>): Promise<CommandResult> {
  listen();
  const said = { out: '', error: '' };
  const code = await calls.run(said, command);
  return { code, ...said };
}

/** Sends what a call prints to the call; everything else goes where it went. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  for (const [method, stream] of [
    ['log', 'out'],
    ['error', 'error'],
  ] as const) {
    const print = console[method].bind(console);
    console[method] = (...args: unknown[]) => {
      const said = calls.getStore();
      if (said === undefined) print(...args);
      else said[stream] += `${args.join(' ')}\n`;
    };
  }
}
