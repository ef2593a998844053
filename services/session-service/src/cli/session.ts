// The command that says why a session ended, and what happened to an account.

import { type Static, Type } from '@sinclair/typebox';
import { runCommand } from '@tollgate/shared/config/command-line.js';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { storeUrlOf } from '@tollgate/shared/config/fallbacks.js';
import { checkSecrets } from '@tollgate/shared/config/secrets.js';
import { SecretVariables, StoreVariables } from '@tollgate/shared/config/variables.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { openRevocationLog } from '@tollgate/shared/sessions/open-revocation-log.js';
import { hasEntryOf } from '@tollgate/shared/sessions/revocation-log.js';
import type { Store } from '@tollgate/shared/store/open-store.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store.js';
import { SessionVariables } from '../config.js';
import { openSessionSearch } from '../stores/open-session-search.js';
import { findAccount, keyedAccount } from './account-history.js';
import { type AccountReport, reportAccount } from './account-report.js';
import { withExistingStore } from './existing-store.js';
import { challengeSecret } from './launcher-secret.js';
import { readSessionCommand, type SessionCommand, USAGE } from './session-arguments.js';
import { reportSession } from './session-report.js';

const Variables = Type.Object({
  ...StoreVariables,
  AUDIT_TTL: SessionVariables.AUDIT_TTL,
  CHALLENGE_SECRET: Type.Optional(SecretVariables.CHALLENGE_SECRET),
});
type Values = Static<typeof Variables>;

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood, 3 when nothing is known. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const expected = [StoreUnavailableError];
  return runCommand({ name: 'session', usage: USAGE, args, expected }, async () => {
    const command = readSessionCommand(args);
    const values = readEnvironment(Variables, env, ({ CHALLENGE_SECRET }) =>
      command.name === 'account' ? checkSecrets({ CHALLENGE_SECRET }) : [],
    );
    const look = command.name === 'why' ? explainSession(command, values) : listAccount(command, values);
    const { isKnown, lines, facts } = await withExistingStore('STORE_URL', storeUrlOf(values), look);
    console.log(command.isJson ? JSON.stringify(facts) : lines.join('\n'));
    return isKnown ? 0 : 3;
  });
}

type Look = (store: Store) => Promise<Pick<AccountReport, 'isKnown' | 'lines' | 'facts'>>;

function explainSession({ sid, uid }: SessionCommand & { name: 'why' }, { AUDIT_TTL }: Values): Look {
  return async (store) => {
    const result = await openSessionSearch(store).find(sid, uid);
    const isRevoked = await hasEntryOf(openRevocationLog(store), sid);
    const { state, lines, facts } = reportSession(sid, { ...result, isRevoked }, AUDIT_TTL);
    return { isKnown: state !== 'unknown', lines, facts };
  };
}

function listAccount(command: SessionCommand & { name: 'account' }, values: Values): Look {
  const ring = openKeyRing(challengeSecret(values));
  const { email } = command;
  return async (store) =>
    reportAccount(
      email,
      keyedAccount(ring, email),
      await findAccount(store, ring, command),
      values.AUDIT_TTL,
    );
}

process.exitCode = await run(process.argv.slice(2), process.env);
