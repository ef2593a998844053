// Reads the command line of the captcha command.

import { parseArgs } from 'node:util';
import { UsageError, usageErrorOf } from '@tollgate/shared/config/command-line.js';

export const USAGE = `usage: captcha prune
       captcha preview [--preset NAME] [--count N] --path DIR
prune removes what has expired from a store that does not do so itself.
preview draws N samples (12 unless said, at most 1000) of a preset (default unless said) into DIR, with an index.html.`;

const MOST_SAMPLES = 1000;

/** What to do. */
export type CaptchaCommand =
  | { readonly action: 'prune' }
  | { readonly action: 'preview'; readonly preset: string; readonly count: number; readonly path: string };

/** @throws UsageError when it cannot be understood */
export function readCaptchaCommand(args: string[]): CaptchaCommand {
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
