// Reads a password: from a terminal without showing it, else from the first line of the input.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '@tollgate/shared/config/command-line.js';

/** What a command talks through. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Where prompts go. */
  readonly prompts: NodeJS.WriteStream;
}

const MIN_CHARACTERS = 8;
const MAX_BYTES = 1024;

/**
 * Asks twice on a terminal, and reads one line otherwise.
 * @throws CommandError when the two differ, when there is none, or when it is too short or too long
 */
export async function readNewPassword({ input, prompts }: Terminal): Promise<string> {
  const [password = '', again = password] = input.isTTY
    ? await ask(input, prompts, ['Password: ', 'Again: '])
    : [await readLine(input)];
  if (again !== password) throw new CommandError('the two passwords differ');
  if ([...password].length < MIN_CHARACTERS) {
    throw new CommandError(`the password needs at least ${MIN_CHARACTERS} characters`);
  }
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw new CommandError(`the password is longer than ${MAX_BYTES} bytes`);
  }
  return password;
}

/**
 * Asks once on a terminal for a password that exists, and reads one line otherwise.
 * @throws CommandError when there is none
 */
export async function readPassword({ input, prompts }: Terminal): Promise<string> {
  const [password = ''] = input.isTTY ? await ask(input, prompts, ['Password: ']) : [await readLine(input)];
  return password;
}

async function ask(
  input: NodeJS.ReadStream,
  prompts: NodeJS.WriteStream,
  questions: readonly string[],
): Promise<string[]> {
  // As a terminal, readline takes over the echo, and here it echoes into nothing.
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nothing, terminal: true, historySize: 0 });
  const typed = lines[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      prompts.write(question);
      const answer = await typed.next();
      prompts.write('\n');
      if (answer.done) throw new CommandError('no password was given');
      answers.push(answer.value);
    }
    return answers;
  } finally {
    lines.close();
  }
}

async function readLine(input: NodeJS.ReadStream): Promise<string> {
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line;
    throw new CommandError('no password was given');
  } finally {
    lines.close();
  }
}
