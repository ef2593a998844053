// The command for the challenges: prunes their store, draws samples of their presets.

import { parseArgs } from 'node:util';
import { ChallengeTypeError } from '@tollgate/shared/challenges/types/challenge-type-error.js';
import { UsageError } from '@tollgate/shared/config/command-error.js';
import { runCommand, usageErrorOf } from '@tollgate/shared/config/command-line.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store-errors.js';
import { preview } from './preview.js';
import { prune } from './prune.js';

const USAGE = `usage: captcha prune
       captcha preview [--preset NAME] [--count N] --path DIR
prune removes what has expired from a store that does not do so itself.
preview draws N samples (12 unless said, at most 1000) of a preset (default unless said) into DIR, with an index.html.`;

const MOST_SAMPLES = 1000;

/** What to do. */
type CaptchaCommand =
  | { readonly action: 'prune' }
  | { readonly action: 'preview'; readonly preset: string; readonly count: number; readonly path: string };

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const foreseen = [ChallengeTypeError, StoreUnavailableError];
  return runCommand({ name: 'captcha', usage: USAGE, args, foreseen }, async () => {
    console.log(await act(readCommand(args), env));
    return 0;
  });
}

function act(command: CaptchaCommand, env: NodeJS.ProcessEnv): Promise<string> {
  if (command.action === 'prune') return prune(env);
  // Under npm the working folder is that of the project; this is where it was called.
  return preview(command, env, env.INIT_CWD ?? process.cwd());
}

/** @throws UsageError when it cannot be understood */
function readCommand(args: string[]): CaptchaCommand {
  const { positionals, values } = parse(args);
  const [name, ...more] = positionals;
  if (more.length > 0) throw new UsageError();
  if (name === 'prune' && Object.keys(values).length === 0) return { action: name };
  if (name !== 'preview') throw new UsageError();
  const { preset = 'default', count = '12', path = '' } = values;
  if (path === '') throw new UsageError('preview needs --path, the folder for the samples');
  if (!/^[1-9]\d{0,3}$/.test(count) || Number(count) > MOST_SAMPLES) {
    throw new UsageError(`--count must be a whole number from 1 to ${MOST_SAMPLES}`);
  }
  return { action: name, preset, count: Number(count), path };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { preset: { type: 'string' }, count: { type: 'string' }, path: { type: 'string' } },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

process.exitCode = await run(process.argv.slice(2), process.env);
