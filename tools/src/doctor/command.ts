// The command `doctor`: examines an installation through its public address and prints the report.

import { fileURLToPath } from 'node:url';
import type { Terminal } from '@tollgate/session-service/cli/password-input.js';
import { runCommand } from '@tollgate/shared/config';
import { namedAddress, readDoctorArguments, USAGE } from './arguments.js';
import { isHealthy, reportLines, reportObject } from './report.js';
import { runningEnvironment } from './running-system.js';

/** Root of the project, four levels above this compiled file. Relative paths of the environment start here. */
const PROJECT_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Returns the exit code: 0, 1 if there is a problem, 2 if the command line is invalid. */
async function run(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  return runCommand({ name: 'doctor', usage: USAGE, args }, async () => {
    const completed = runningEnvironment(env, PROJECT_ROOT, namedAddress(args));
    const options = readDoctorArguments(args, completed);
    // Loaded late: clients and stores take half a second, too long for a command line mistake.
    const { examineTarget } = await import('./examine-target.js');
    const report = await examineTarget(options, completed, PROJECT_ROOT, terminal);
    if (options.json) console.log(JSON.stringify(reportObject(report)));
    else for (const line of reportLines(report)) console.log(line);
    return isHealthy(report) ? 0 : 1;
  });
}

process.exitCode = await run(process.argv.slice(2), process.env, {
  input: process.stdin,
  prompts: process.stderr,
});
