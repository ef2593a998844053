// captcha passes: makes, lists and revokes passes for the operator's own machines.

import {
  makePass,
  PASS_NAME_FORM,
  PASS_NAME_PATTERN,
  type PassStore,
  passHash,
} from '@tollgate/shared/challenges';
import { CommandError, GATE_APPLICATION, UsageError } from '@tollgate/shared/config';
import { APPLICATION_NAME_FORM, isApplicationName } from '@tollgate/shared/schemas';
import { openChallengeStore, withExistingStore } from '@tollgate/shared/store';
import { readPassesConfig } from '../config.js';
import { PROJECT_ROOT } from '../project-root.js';
import { wholeNumber } from './whole-number.js';

/** The options of the commands, as `parseArgs` takes them. */
export const PASS_OPTIONS = {
  application: { type: 'string' },
  days: { type: 'string' },
  'per-minute': { type: 'string' },
} as const;

/** The values of all options of the command; those of `captcha passes` are strings. */
type PassValues = Readonly<Partial<Record<keyof typeof PASS_OPTIONS, string>>> &
  Readonly<Record<string, unknown>>;

/** A command line of `captcha passes`. */
export type PassesCommand =
  | { readonly action: 'list' }
  | { readonly action: 'revoke'; readonly name: string }
  | {
      readonly action: 'make';
      readonly name: string;
      readonly application: string;
      readonly days: number;
      readonly perMinute: number;
    };

const MAX_DAYS = 730;
const MAX_PER_MINUTE = 10_000;
const DAY_MS = 86_400_000;

/**
 * Reads the words and options after `captcha passes`.
 * @throws UsageError if they are wrong
 */
export function readPassesCommand(
  [action, name, ...more]: readonly string[],
  values: PassValues,
): PassesCommand {
  if (more.length > 0) throw new UsageError();
  const given = Object.keys(values);
  if (action === 'list' && name === undefined && given.length === 0) return { action };
  if (name === undefined) throw new UsageError();
  if (!new RegExp(PASS_NAME_PATTERN).test(name)) throw new UsageError(`NAME must have ${PASS_NAME_FORM}`);
  if (action === 'revoke' && given.length === 0) return { action, name };
  const isKnown = given.every((option) => Object.hasOwn(PASS_OPTIONS, option));
  if (action !== 'make' || !isKnown) throw new UsageError();
  const { application = '' } = values;
  if (!isApplicationName(application)) {
    throw new UsageError(`--application must have ${APPLICATION_NAME_FORM}`);
  }
  if (application === GATE_APPLICATION)
    throw new UsageError('--application must not be gate: it accepts no passes');
  return {
    action,
    name,
    application,
    days: wholeNumber('--days', values.days, MAX_DAYS),
    perMinute: wholeNumber('--per-minute', values['per-minute'], MAX_PER_MINUTE),
  };
}

/**
 * Runs a command on the store of the challenges and returns what to print.
 * @throws CommandError if the name is taken or unknown; StoreUnavailableError; ConfigurationError
 */
export async function runPasses(
  command: PassesCommand,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { storeUrl, storeVariable, prefix } = readPassesConfig(env);
  return withExistingStore(storeVariable, storeUrl, PROJECT_ROOT, async (store) => {
    const passes = openChallengeStore(store, prefix);
    if (command.action === 'list') return await list(passes, await store.timeMs());
    if (command.action === 'make') return await make(passes, command);
    if (await passes.revokePass(command.name)) return `revoked ${command.name}: it is rejected from now on`;
    throw new CommandError(`there is no pass named ${command.name}`);
  });
}

async function make(
  passes: PassStore,
  { name, application, days, perMinute }: Extract<PassesCommand, { action: 'make' }>,
): Promise<string> {
  const pass = makePass(name);
  const expiresAtMs = await passes.makePass({
    name,
    hash: passHash(pass),
    application,
    perMinute,
    lifetimeMs: days * DAY_MS,
  });
  if (expiresAtMs === null) {
    throw new CommandError(`there is a pass named ${name}: revoke it first, or choose another name`);
  }
  return [
    pass,
    `for ${application}, ${perMinute} a minute, until ${isoMinute(expiresAtMs)}`,
    'Send it in the header Captcha-Pass. It is shown once: the store has only its hash.',
  ].join('\n');
}

async function list(passes: PassStore, nowMs: number): Promise<string> {
  const found = await passes.listPasses();
  if (found.length === 0) return 'there are no passes';
  return found
    .map(({ name, application, perMinute, expiresAtMs }) => {
      const expiry = `${expiresAtMs <= nowMs ? 'expired' : 'until'} ${isoMinute(expiresAtMs)}`;
      return `${name}  for ${application}, ${perMinute} a minute, ${expiry}`;
    })
    .join('\n');
}

function isoMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
