// The command for the challenges: prunes their store, draws samples of their presets.

import { KindError } from '@tollgate/shared/challenges/kind-error.js';
import { CommandError, UsageError } from '@tollgate/shared/config/command-error.js';
import { asksForHelp } from '@tollgate/shared/config/command-line.js';
import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store-errors.js';
import { type CaptchaCommand, readCaptchaCommand, USAGE } from './captcha-arguments.js';
import { preview } from './preview.js';
import { prune } from './prune.js';

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (asksForHelp(args)) {
    console.log(USAGE);
    return 0;
  }
  try {
    console.log(await act(readCaptchaCommand(args), env));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message === '' ? USAGE : `captcha: ${error.message}\n${USAGE}`);
      return 2;
    }
    for (const line of linesOf(error)) console.error(`captcha: ${line}`);
    return 1;
  }
}

function act(command: CaptchaCommand, env: NodeJS.ProcessEnv): Promise<string> {
  if (command.action === 'prune') return prune(env);
  // Under npm the working folder is that of the project; this is where it was called.
  return preview(command, env, env.INIT_CWD ?? process.cwd());
}

/** What to print of an error; one that nobody foresaw is thrown on. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.lines;
  const isForeseen = [CommandError, KindError, StoreUnavailableError].some((known) => error instanceof known);
  if (isForeseen) return [(error as Error).message];
  throw error;
}

process.exitCode = await run(process.argv.slice(2), process.env);
