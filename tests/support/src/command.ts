// Runs a command as an operator does, as a separate process or by a call in the test's process.

import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The result of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Starts a command's program. @param typed its standard input @param cwd its working folder */
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
  // A command without input may exit before the input is written.
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

/** Redirects a call's output to the call; other output is unchanged. */
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
