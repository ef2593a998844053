// The command for the challenges: prunes their store, draws samples of their presets.

import { ChallengeTypeError } from '@tollgate/shared/challenges/types/challenge-type.js';
import { runCommand } from '@tollgate/shared/config/command-line.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store.js';
import { type CaptchaCommand, readCaptchaCommand, USAGE } from './captcha-arguments.js';
import { preview } from './preview.js';
import { prune } from './prune.js';

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const expected = [ChallengeTypeError, StoreUnavailableError];
  return runCommand({ name: 'captcha', usage: USAGE, args, expected }, async () => {
    console.log(await act(readCaptchaCommand(args), env));
    return 0;
  });
}

function act(command: CaptchaCommand, env: NodeJS.ProcessEnv): Promise<string> {
  if (command.action === 'prune') return prune(env);
  // Under npm the working folder is that of the project; this is where it was called.
  return preview(command, env, env.INIT_CWD ?? process.cwd());
}

process.exitCode = await run(process.argv.slice(2), process.env);
