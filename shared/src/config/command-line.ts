// What all commands have in common: the usage, and what a failure prints.

import { ConfigurationError } from '../schemas/configuration-error.js';

/** A command as it was called. */
export interface CommandCall {
  /** Stands before each line of a failure. */
  readonly name: string;
  readonly usage: string;
  readonly args: readonly string[];
  /** Classes of errors whose message is told, besides mistakes of the operator and of the configuration. */
  readonly foreseen?: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
}

/**
 * Runs a command, or prints its usage when that is asked for.
 *
 * @param act returns the exit code
 * @returns that code; 1 when it failed, 2 when it was not understood
 * @throws what nobody foresaw
 */
export async function runCommand(
  { name, usage, args, foreseen = [] }: CommandCall,
  act: () => Promise<number>,
): Promise<number> {
  if (asksForHelp(args)) {
    console.log(usage);
    return 0;
  }
  try {
    return await act();
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message === '' ? usage : `${name}: ${error.message}\n${usage}`);
      return 2;
    }
    for (const line of linesOf(error, foreseen)) console.error(`${name}: ${line}`);
    return 1;
  }
}

/** The mistake that `parseArgs` has found, without its hint on how Node would have understood the line. */
export function usageErrorOf(error: unknown): UsageError {
  const [mistake = ''] = error instanceof Error ? error.message.split(/\.\s/) : [];
  return new UsageError(mistake);
}

/** Whether a command line asks for the usage and nothing else. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

function linesOf(error: unknown, foreseen: NonNullable<CommandCall['foreseen']>): readonly string[] {
  if (error instanceof ConfigurationError) return error.lines;
  const isForeseen = [CommandError, ...foreseen].some((known) => error instanceof known);
  if (isForeseen) return [(error as Error).message];
  throw error;
}

/** A mistake the operator can mend; its message is one line for him. */
export class CommandError extends Error {}

/** The command line was not understood; an empty message when the usage says it all. */
export class UsageError extends Error {}
