// Examines the target of a command line and an environment.

import { Type } from '@sinclair/typebox';
import { readPassword, type Terminal } from '@tollgate/session-service/cli/password-input.js';
import { captchaOptionsFrom, captchaVariables, readEnvironment } from '@tollgate/shared/config';
import type { DoctorArguments } from './arguments.js';
import { examine } from './examine.js';
import type { Report } from './report.js';

/**
 * Examines the target, after reading the password of its account.
 * @param root of the project; relative paths of the environment start from it
 * @throws ConfigurationError if a challenge variable is invalid
 * @throws CommandError if there is no password
 */
export async function examineTarget(
  { publicUrl, email, origin, prefix, connect }: DoctorArguments,
  env: Readonly<Record<string, string | undefined>>,
  root: string,
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
    root,
  });
}
