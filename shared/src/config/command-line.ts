// Runs commands: prints the usage, reports errors, and returns exit codes.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '../schemas/configuration-error.js';

/** A command and its arguments. */
interface CommandCall {
  /** Precedes each line of an error. */
  readonly name: string;
  readonly usage: string;
  readonly args: readonly string[];
  /** Error classes whose message is printed, besides CommandError and ConfigurationError. */
  readonly expected?: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
}

/**
 * Runs a command, or prints its usage for `--help`.
 *
 * @param act returns the exit code
 * @returns that code; 1 if the command failed, 2 if its arguments were wrong
 * @throws any error that is not `expected`
 */
export async function runCommand(
  { name, usage, args, expected = [] }: CommandCall,
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
      const mistake = error.message || mistakeIn(name, usage, args);
      console.error(mistake === '' ? usage : `${name}: ${mistake}\n${usage}`);
      return 2;
    }
    for (const line of linesOf(error, expected)) console.error(`${name}: ${line}`);
    return 1;
  }
}

/** Whether Node was started with this module, and did not merely import it. @param url of the module */
export function isProgram(url: string): boolean {
  const [, program] = process.argv;
  return program !== undefined && createRequire(url).resolve(program) === fileURLToPath(url);
}

/** Converts an error of `parseArgs`, without its hint about Node's syntax. */
export function usageErrorOf(error: unknown): UsageError {
  const [mistake = ''] = error instanceof Error ? error.message.split(/\.\s/) : [];
  return new UsageError(mistake);
}

/** Returns whether a command line requests the usage. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

/** The mistake in arguments that fit no form of the usage, without their values; empty if there are none. */
function mistakeIn(name: string, usage: string, args: readonly string[]): string {
  const [first] = args;
  if (first === undefined) return '';
  const option = args.find((arg) => arg.startsWith('-'))?.split('=', 1)[0];
  if (option !== undefined && !usage.includes(option)) return `Unknown option '${option}'`;
  const commands = new Set(usage.split('\n').map((form) => commandOf(name, form)));
  commands.delete(undefined);
  const command = args.find((arg) => commands.has(arg));
  if (command !== undefined) return `Missing or wrong arguments of '${command}'`;
  return commands.size > 0 && !first.startsWith('-') ? `Unknown command '${first}'` : 'Wrong arguments';
}

/** The word after the name of the program in a line of its usage. */
function commandOf(name: string, form: string): string | undefined {
  const [program, command] = form
    .replace(/^usage:/, '')
    .trim()
    .split(' ');
  return program === name && /^[a-z]/.test(command ?? '') ? command : undefined;
}

function linesOf(error: unknown, expected: NonNullable<CommandCall['expected']>): readonly string[] {
  if (error instanceof ConfigurationError) return error.lines;
  const isForeseen = [CommandError, ...expected].some((known) => error instanceof known);
  if (isForeseen) return (error as Error).message.split('\n');
  throw error;
}

/** An error that the operator can fix; each line of the message is printed after the name of the command. */
export class CommandError extends Error {}

/** Wrong arguments; an empty message is replaced by one that compares them with the usage. */
export class UsageError extends Error {}
