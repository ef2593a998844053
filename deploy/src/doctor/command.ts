// The command that examines an installation through its public address.

import { Type } from '@sinclair/typebox';
import { readPassword, type Terminal } from '@tollgate/session-service/cli/password-input.js';
import { PROJECT_ROOT } from '@tollgate/session-service/cli/project-root.js';
import { captchaOptionsFrom, captchaVariables } from '@tollgate/shared/config/captcha-environment.js';
import { runCommand } from '@tollgate/shared/config/command-line.js';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { type DoctorArguments, namedAddress, readDoctorArguments, USAGE } from './arguments.js';
import { examine } from './examine.js';
import { isHealthy, reportLines, reportObject } from './report.js';
import { launchedEnvironment } from './running-system.js';

async function look(
  asked: DoctorArguments,
  env: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
) {
  const { publicUrl, email, origin, prefix, connect } = asked;
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

/** Examines and returns the exit code: 0, 1 when there is a problem, 2 when it was not understood. */
async function run(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  return runCommand({ name: 'doctor', usage: USAGE, args }, async () => {
    const here = launchedEnvironment(env, PROJECT_ROOT, namedAddress(args));
    const asked = readDoctorArguments(args, here);
    const report = await look(asked, here, terminal);
    if (asked.json) console.log(JSON.stringify(reportObject(report)));
    else for (const line of reportLines(report)) console.log(line);
    return isHealthy(report) ? 0 : 1;
  });
}

process.exitCode = await run(process.argv.slice(2), process.env, {
  input: process.stdin,
  prompts: process.stderr,
});
