// Command lines of the tools, which run before anything is compiled.
// An old Node has no `parseArgs`: a named import would fail before the clear message.
import util from 'node:util';
import { requireNode } from './prepare.js';

/**
 * Reads a command line. `--help` prints the usage and ends the process.
 * @param {string} usage begins with `usage: npm run NAME`; npm's own commands lack `run`
 * @param {import('node:util').ParseArgsConfig} config without `--help`
 */
export function readArguments(usage, config = {}) {
  requireNode();
  const options = { ...config.options, help: { type: 'boolean', short: 'h', default: false } };
  let read;
  try {
    read = util.parseArgs({ ...config, options });
  } catch (error) {
    // Without the hint about Node's syntax.
    rejectArguments(usage, error.message.split(/\.\s/)[0]);
  }
  if (read.values.help) {
    console.log(usage);
    process.exit();
  }
  return read;
}

/** Prints a mistake in the command line above the usage, and ends the process with 2. */
export function rejectArguments(usage, mistake) {
  const [, name] = /^usage: npm (?:run )?([\w:]+)/.exec(usage);
  console.error(`${name}: ${mistake}\n${usage}`);
  process.exit(2);
}
