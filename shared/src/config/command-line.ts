// What the command lines of all commands have in common.

import { UsageError } from './command-error.js';

/** Whether a command line asks for the usage and nothing else. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

/** The mistake that `parseArgs` has found, without its hint on how Node would have understood the line. */
export function usageErrorOf(error: unknown): UsageError {
  const [mistake = ''] = error instanceof Error ? error.message.split(/\.\s/) : [];
  return new UsageError(mistake);
}
