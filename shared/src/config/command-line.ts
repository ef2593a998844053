// What all commands have in common: the usage, and what a failure prints.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../schemas/configuration-error.js';
import { CommandError, UsageError } from './command-error.js';

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

/** Whether a module is the program that Node was started with, and not one that another imports. @param url of the module */
export function isProgram(url: string): boolean {
  const [, program] = process.argv;
  return program !== undefined && createRequire(url).resolve(program) === fileURLToPath(url);
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
