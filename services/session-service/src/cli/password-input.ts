// Reads a password: from a terminal without echo, otherwise from the first line of the input.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '@tollgate/shared/config';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARACTERS } from '@tollgate/shared/schemas';

/** Where a command reads input and writes prompts. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Receives the prompts. */
  readonly prompts: NodeJS.WriteStream;
}

/**
 * Asks twice on a terminal; otherwise reads one line.
 * @throws CommandError if the two differ, or if the password is missing, too short or too long
 */
export async function readNewPassword({ input, prompts }: Terminal): Promise<string> {
  const [password = '', again = password] = input.isTTY
    ? await ask(input, prompts, ['Password: ', 'Again: '])
    : [await readLine(input)];
  if (again !== password) throw new CommandError('the two passwords differ');
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    throw new CommandError(`the password needs at least ${MIN_PASSWORD_CHARACTERS} characters`);
  }
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw new CommandError(`the password is longer than ${MAX_PASSWORD_BYTES} bytes`);
  }
  return password;
}

/**
 * Asks once on a terminal for an existing password; otherwise reads one line.
 * @throws CommandError if there is none
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
  // With `terminal`, readline echoes by itself, here into a stream that discards it.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: discard, terminal: true, historySize: 0 });
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
    // Some shells prepend a byte order mark to piped input, which no login would contain.
    for await (const line of lines) return line.replace(/^\uFEFF/, '');
    throw new CommandError('no password was given');
  } finally {
    lines.close();
  }
}
