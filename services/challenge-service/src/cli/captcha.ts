// The captcha command: prunes the store of the challenges, draws samples of presets, raises the price by hand, and manages
// passes. Extensions add subcommands.

import { parseArgs } from 'node:util';
import { ChallengeTypeError } from '@tollgate/shared/challenges';
import { isProgram, runCommand, UsageError, usageErrorOf } from '@tollgate/shared/config';
import { StoreUnavailableError } from '@tollgate/shared/store';
import type { ExtensionCommand } from '../extension.js';
import { loadCommands } from '../extensions.js';
import { type AttackCommand, attack } from './attack.js';
import { PASS_OPTIONS, type PassesCommand, readPassesCommand, runPasses } from './passes.js';
import { preview } from './preview.js';
import { prune } from './prune.js';
import { wholeNumber } from './whole-number.js';

const USAGE = `usage: captcha prune
       captcha preview [--preset NAME] [--count N] --path DIR
       captcha attack on [--minutes N] [--bits N]
       captcha attack off | status
       captcha passes make NAME --application APPLICATION --days N --per-minute N
       captcha passes list
       captcha passes revoke NAME`;

const HELP = `prune removes expired entries from a store that does not remove them itself.
preview draws N samples (default 12, at most 1000) of a preset (default: default) into DIR, with an index.html.
attack on raises the price of work for all processes: by N bits (default 4, at most 23; each doubles it) for N minutes (default 60, at most 1440).
attack off ends that; attack status also prints the price by load.
passes make prints a new pass for your own machine. It replaces work at one application (login is the login), for N days (at most 730), N times a minute (at most 10000).`;

const MAX_SAMPLES = 1000;
const MAX_MINUTES = 1440;
/** From the lowest floor to the highest ceiling. */
const MAX_BITS = 23;

const OPTIONS = {
  preset: { type: 'string' },
  count: { type: 'string' },
  path: { type: 'string' },
  minutes: { type: 'string' },
  bits: { type: 'string' },
  ...PASS_OPTIONS,
} as const;

/** The options of a command line; those of its own commands are strings. */
type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string>>> & Readonly<Record<string, unknown>>;

type CaptchaCommand =
  | { readonly action: 'passes'; readonly passes: PassesCommand }
  | { readonly action: 'prune' }
  | { readonly action: 'preview'; readonly preset: string; readonly count: number; readonly path: string }
  | { readonly action: 'attack'; readonly command: AttackCommand };

/** Runs one command and returns its exit code: 0, 1 if it failed, 2 if the command line is wrong. */
export async function runCaptcha(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const expected = [ChallengeTypeError, StoreUnavailableError];
  const extensions = await loadCommands();
  return runCommand({ name: 'captcha', usage: usageWith(extensions), args, expected }, async () => {
    const { positionals, values } = parse(args, extensions);
    const [name, ...words] = positionals;
    const extension = extensions.find((command) => command.name === name);
    const output =
      extension === undefined
        ? execute(readCommand(name, words, values), env)
        : extension.run(words, values, env);
    console.log(await output);
    return 0;
  });
}

function usageWith(extensions: readonly ExtensionCommand[]): string {
  const forms = extensions.map(({ usage }) => `       ${usage}`);
  return [USAGE, ...forms, HELP, ...extensions.map(({ help }) => help)].join('\n');
}

async function execute(command: CaptchaCommand, env: NodeJS.ProcessEnv): Promise<string> {
  if (command.action === 'prune') return prune(env);
  if (command.action === 'passes') return runPasses(command.passes, env);
  if (command.action === 'attack') return attack(command.command, env);
  // npm changes to the project's folder; INIT_CWD is the folder where npm was called.
  return preview(command, env, env.INIT_CWD ?? process.cwd());
}

/** @throws UsageError if the command line is wrong */
function readCommand(name: string | undefined, words: string[], values: Values): CaptchaCommand {
  if (name === 'passes') return { action: name, passes: readPassesCommand(words, values) };
  if (name === 'attack') return { action: name, command: attackCommand(words, values) };
  const { preset = 'default', count = '12', path = '', ...others } = values;
  if (words.length > 0 || Object.keys(others).length > 0) throw new UsageError();
  if (name === 'prune' && Object.keys(values).length === 0) return { action: name };
  if (name !== 'preview') throw new UsageError();
  if (path === '') throw new UsageError('preview needs --path, the folder for the samples');
  return { action: name, preset, count: wholeNumber('--count', count, MAX_SAMPLES), path };
}

function attackCommand(words: string[], values: Values): AttackCommand {
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

function parse(args: string[], extensions: readonly ExtensionCommand[]) {
  const options = Object.assign({}, ...extensions.map((command) => command.options), OPTIONS);
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    return { positionals, values: values as Values };
  } catch (error) {
    throw usageErrorOf(error);
  }
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runCaptcha(process.argv.slice(2), process.env);
}
