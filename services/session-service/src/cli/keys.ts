// The command for the keys: exports those of access tokens, says which step of changing a key is safe now.

import { Type } from '@sinclair/typebox';
import { captchaOptionsFrom, captchaVariables } from '@tollgate/shared/config/captcha-environment.js';
import { checkSecrets } from '@tollgate/shared/config/checks.js';
import { ConfigurationError, readEnvironment } from '@tollgate/shared/config/environment.js';
import { storeUrlOf } from '@tollgate/shared/config/fallbacks.js';
import { SecretVariables, StoreVariables } from '@tollgate/shared/config/variables.js';
import { exportAccessKeys } from '@tollgate/shared/crypto/access-keys.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { lifetimeSeconds } from '@tollgate/shared/pow/lifetime.js';
import { openConfiguredStore } from '@tollgate/shared/store/configured-store.js';
import { openKeyRecord } from '@tollgate/shared/store/key-record.js';
import { closeStore, type Store } from '@tollgate/shared/store/open-store.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store-errors.js';
import { SessionVariables } from '../config.js';
import { type KeyLives, keyStatus } from './key-status.js';
import { PROJECT_ROOT } from './project-root.js';

const USAGE = `usage: keys export-access
       keys status
export-access prints what another service needs beside ACCESS_SECRET to verify bearers: keep it as secret as that.
status says for each secret which step of changing it is safe now: append, front, drop.`;

const CONNECT_MS = 5000;

type Environment = Readonly<Record<string, string | undefined>>;

function exportAccess(env: Environment): string[] {
  const { ENCRYPTION_KEY } = readEnvironment(
    Type.Object({ ENCRYPTION_KEY: SecretVariables.ENCRYPTION_KEY }),
    env,
    checkSecrets,
  );
  return [exportAccessKeys(openKeyRing(ENCRYPTION_KEY))];
}

async function status(env: Environment): Promise<string[]> {
  const { ACCESS_TTL, REFRESH_TTL } = SessionVariables;
  const values = readEnvironment(
    Type.Object({ ...StoreVariables, ...captchaVariables, ACCESS_TTL, REFRESH_TTL }),
    env,
  );
  const { pow, cache, escalation } = captchaOptionsFrom(values);
  const work = lifetimeSeconds(pow.max_difficulty, pow.expire, pow.expire_grows);
  const lives: KeyLives = {
    accessSeconds: values.ACCESS_TTL,
    refreshSeconds: values.REFRESH_TTL,
    challengeSeconds: Math.max(work, cache.expire, escalation.decay),
    decaySeconds: escalation.decay,
  };
  const store = openConfiguredStore('STORE_URL', storeUrlOf(values), PROJECT_ROOT);
  try {
    await ready(store);
    return await keyStatus(openKeyRecord(store), lives);
  } finally {
    await closeStore(store);
  }
}

/** Waits for the connection: a client of ours refuses commands before it is there. */
async function ready(store: Store): Promise<void> {
  if (store.kind !== 'redis' || store.client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new StoreUnavailableError('the store is out of reach')), CONNECT_MS);
    store.client.once('ready', () => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood. */
async function run(args: readonly string[], env: Environment): Promise<number> {
  const [command, ...more] = args;
  const action = command === 'export-access' ? exportAccess : command === 'status' ? status : undefined;
  if (action === undefined || more.length > 0) {
    console.error(USAGE);
    return 2;
  }
  try {
    for (const line of await action(env)) console.log(line);
    return 0;
  } catch (error) {
    if (error instanceof ConfigurationError) for (const line of error.lines) console.error(`keys: ${line}`);
    else if (error instanceof StoreUnavailableError) console.error(`keys: ${error.message}`);
    else throw error;
    return 1;
  }
}

process.exitCode = await run(process.argv.slice(2), process.env);
