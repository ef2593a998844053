// Checks that the directory returns users of the requested account.

import { reachableHost } from '@tollgate/shared/config';
import { exchange } from '../exchange.js';
import { type Finding, problem } from '../report.js';

const TIMEOUT_MS = 2000;

/**
 * Returns the number of users of other accounts that the directory has returned since the process started; undefined without
 * readable metrics.
 * @param bind the address that the admin port is bound to
 * @param port the admin port of session-service
 */
export async function probeOtherAccounts(bind: string, port: number): Promise<number | undefined> {
  const url = `http://${reachableHost(bind)}:${port}/metrics`;
  const { status, text } = await exchange('GET', url, { timeoutMs: TIMEOUT_MS });
  const [, count] = /^tollgate_directory_other_accounts_total (\d+)$/m.exec(text) ?? [];
  return status === 200 && count !== undefined ? Number(count) : undefined;
}

/** A problem from the first time: these users cannot log in, or an attacker tries other spellings of their accounts. */
export function diagnoseOtherAccounts(count: number | undefined): Finding[] {
  if (count === undefined || count === 0) return [];
  return [
    problem(
      'other_accounts',
      `The directory returned a user of another account ${count === 1 ? 'once' : `${count} times`}; the response to such a login is that for an unknown account.`,
      'Its comparison is looser than the service counts, or it does not search by address. Let its statement or method compare the whole key, or return `account`. The log names the users (`uid`).',
    ),
  ];
}
