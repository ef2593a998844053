// The captcha command: prunes the store of the challenges, draws samples of presets, makes the secret of a site, raises the
// price by hand, and manages passes.

import { parseArgs } from 'node:util';
import { ChallengeTypeError } from '@tollgate/shared/challenges/types/challenge-type.js';
import { isProgram, runCommand, UsageError, usageErrorOf } from '@tollgate/shared/config/command-line.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store.js';
import { newSite } from '../../extensions/drop-in/new-site.js';
import { areHostnames, isSiteKey } from '../../extensions/drop-in/site.js';
import { type AttackCommand, attack } from './attack.js';
import { PASS_OPTIONS, type PassesCommand, readPassesCommand, runPasses } from './passes.js';
import { preview } from './preview.js';
import { prune } from './prune.js';
import { wholeNumber } from './whole-number.js';

const USAGE = `usage: captcha prune
       captcha preview [--preset NAME] [--count N] --path DIR
       captcha site [KEY] --hostname NAME [--hostname NAME …]
       captcha attack on [--minutes N] [--bits N]
       captcha attack off | status
       captcha passes make NAME --application APPLICATION --days N --per-minute N
       captcha passes list
       captcha passes revoke NAME
prune removes expired entries from a store that does not remove them itself.
preview draws N samples (default 12, at most 1000) of a preset (default: the preset named default) into DIR, with an index.html.
site makes the secret of a site, shows it once, and prints the entry of SITES (default KEY: 20 random letters and digits).
attack on makes work dearer for all processes: N bits more (default 4, at most 23; each doubles it) for N minutes (default 60, at most 1440).
attack off ends that; attack status also says what the load adds.
passes make prints a new pass for a machine of your own: it stands in for work at one application (login is the log-in), N days (at most 730), N times a minute (at most 10000).`;

const MAX_SAMPLES = 1000;
const MAX_MINUTES = 1440;
/** From the lowest floor to the highest ceiling. */
const MAX_BITS = 23;

type CaptchaCommand =
  | { readonly action: 'passes'; readonly passes: PassesCommand }
  | { readonly action: 'prune' }
  | { readonly action: 'preview'; readonly preset: string; readonly count: number; readonly path: string }
  | { readonly action: 'site'; readonly key: string | undefined; readonly hostnames: readonly string[] }
  | { readonly action: 'attack'; readonly command: AttackCommand };

/** Runs one command and returns its exit code: 0, 1 if it failed, 2 if the command line is wrong. */
export async function runCaptcha(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const expected = [ChallengeTypeError, StoreUnavailableError];
  return runCommand({ name: 'captcha', usage: USAGE, args, expected }, async () => {
    console.log(await execute(readCommand(args), env));
    return 0;
  });
}

async function execute(command: CaptchaCommand, env: NodeJS.ProcessEnv): Promise<string> {
  if (command.action === 'prune') return prune(env);
  if (command.action === 'passes') return runPasses(command.passes, env);
  if (command.action === 'site') return newSite(command);
  if (command.action === 'attack') return attack(command.command, env);
  // npm changes to the project's folder; INIT_CWD is the folder where npm was called.
  return preview(command, env, env.INIT_CWD ?? process.cwd());
}

/** @throws UsageError if the command line is wrong */
function readCommand(args: string[]): CaptchaCommand {
  const { positionals, values } = parse(args);
  const [name, ...more] = positionals;
  if (name === 'site') return readSiteCommand(more, values);
  if (name === 'passes') return { action: name, passes: readPassesCommand(more, values) };
  if (name === 'attack') return { action: name, command: attackCommand(more, values) };
  if (
    more.length > 0 ||
    [values.hostname, values.minutes, values.bits].some((value) => value !== undefined)
  ) {
    throw new UsageError();
  }
  if (name === 'prune' && Object.keys(values).length === 0) return { action: name };
  const isOther = Object.keys(values).some((option) => Object.hasOwn(PASS_OPTIONS, option));
  if (name !== 'preview' || isOther) throw new UsageError();
  const { preset = 'default', count = '12', path = '' } = values;
  if (path === '') throw new UsageError('preview needs --path, the folder for the samples');
  return { action: name, preset, count: wholeNumber('--count', count, MAX_SAMPLES), path };
}

function readSiteCommand(
  [key, ...more]: string[],
  { hostname: hostnames = [], ...others }: ReturnType<typeof parse>['values'],
): CaptchaCommand {
  if (more.length > 0 || Object.keys(others).length > 0) throw new UsageError();
  if (key !== undefined && !isSiteKey(key)) {
    throw new UsageError('KEY must be 1 to 64 letters, digits, _ or -');
  }
  if (hostnames.length === 0 || !areHostnames(hostnames)) {
    throw new UsageError(
      '--hostname must be a host name without a port, such as shop.example, *.shop.example or *',
    );
  }
  return { action: 'site', key, hostnames };
}

function attackCommand(words: string[], values: ReturnType<typeof parse>['values']): AttackCommand {
  const { minutes = '60', bits = '4', ...others } = values;
  const [state, ...more] = words;
  if (more.length > 0 || Object.keys(others).length > 0) throw new UsageError();
  if (state === 'on') {
    return {
      state,
      bits: wholeNumber('--bits', bits, MAX_BITS),
      minutes: wholeNumber('--minutes', minutes, MAX_MINUTES),
    };
  }
  if ((state !== 'off' && state !== 'status') || Object.keys(values).length > 0) throw new UsageError();
  return { state };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        preset: { type: 'string' },
        count: { type: 'string' },
        path: { type: 'string' },
        hostname: { type: 'string', multiple: true },
        minutes: { type: 'string' },
        bits: { type: 'string' },
        ...PASS_OPTIONS,
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runCaptcha(process.argv.slice(2), process.env);
}
