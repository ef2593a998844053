// The command that says why a session ended.

import { Type } from '@sinclair/typebox';
import { runCommand } from '@tollgate/shared/config/command-line.js';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { storeUrlOf } from '@tollgate/shared/config/fallbacks.js';
import { StoreVariables } from '@tollgate/shared/config/variables.js';
import { openRevocationLog } from '@tollgate/shared/sessions/open-revocation-log.js';
import { hasEntryOf } from '@tollgate/shared/sessions/revocation-log.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store-errors.js';
import { SessionVariables } from '../config.js';
import { openSessionSearch } from '../stores/open-session-search.js';
import { withExistingStore } from './existing-store.js';
import { readSessionCommand, USAGE } from './session-arguments.js';
import { reportSession } from './session-report.js';

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood, 3 when nothing is known. */
async function run(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const foreseen = [StoreUnavailableError];
  return runCommand({ name: 'session', usage: USAGE, args, foreseen }, async () => {
    const { sid, uid, isJson } = readSessionCommand(args);
    const { AUDIT_TTL } = SessionVariables;
    const values = readEnvironment(Type.Object({ ...StoreVariables, AUDIT_TTL }), env);
    const { state, lines, facts } = await withExistingStore(
      'STORE_URL',
      storeUrlOf(values),
      async (store) => {
        const result = await openSessionSearch(store).find(sid, uid);
        const isRevoked = await hasEntryOf(openRevocationLog(store), sid);
        return reportSession(sid, { ...result, isRevoked }, values.AUDIT_TTL);
      },
    );
    console.log(isJson ? JSON.stringify(facts) : lines.join('\n'));
    return state === 'unknown' ? 3 : 0;
  });
}

process.exitCode = await run(process.argv.slice(2), process.env);
