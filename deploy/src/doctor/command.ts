// The command `doctor`: examines an installation through its public address and prints the report.

import { Type } from '@sinclair/typebox';
import { readPassword, type Terminal } from '@tollgate/session-service/cli/password-input.js';
import { PROJECT_ROOT } from '@tollgate/session-service/cli/service-data.js';
import { captchaOptionsFrom, captchaVariables } from '@tollgate/shared/config/captcha-environment.js';
import { runCommand } from '@tollgate/shared/config/command-line.js';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { type DoctorArguments, namedAddress, readDoctorArguments, USAGE } from './arguments.js';
import { examine } from './examine.js';
import { isHealthy, type Report, reportLines, reportObject } from './report.js';
import { runningEnvironment } from './running-system.js';

async function examineTarget(
  { publicUrl, email, origin, prefix, connect }: DoctorArguments,
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<Report> {
  const { routes, pow } = captchaOptionsFrom(readEnvironment(Type.Object(captchaVariables), env));
  const account = email === undefined ? undefined : { email, password: await readPassword(terminal) };
  return examine({
    publicUrl,
    challengePrefix: prefix ?? routes.prefix,
    pageOrigin: origin ?? new URL(publicUrl).origin,
    connect,
    account,
    fields: pow.fields,
    env,
    root: PROJECT_ROOT,
  });
}

/** Returns the exit code: 0, 1 if there is a problem, 2 if the command line is not understood. */
async function run(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  return runCommand({ name: 'doctor', usage: USAGE, args }, async () => {
    const completed = runningEnvironment(env, PROJECT_ROOT, namedAddress(args));
    const options = readDoctorArguments(args, completed);
    const report = await examineTarget(options, completed, terminal);
    if (options.json) console.log(JSON.stringify(reportObject(report)));
    else for (const line of reportLines(report)) console.log(line);
    return isHealthy(report) ? 0 : 1;
  });
}

process.exitCode = await run(process.argv.slice(2), process.env, {
  input: process.stdin,
  prompts: process.stderr,
});
