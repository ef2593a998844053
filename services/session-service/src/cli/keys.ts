// The command `keys`: creates and exports the keys of access tokens, and tells which step of a key rotation is safe now.

import { Type } from '@sinclair/typebox';
import { challengeLifetimes } from '@tollgate/shared/challenges';
import {
  ConfigurationError,
  cacheStoreUrlOf,
  captchaOptionsFrom,
  captchaVariables,
  checkSecrets,
  fileVariableOf,
  isProgram,
  readEnvironment,
  runCommand,
  SecretVariables,
  StoreVariables,
  storeUrlOf,
  TokenFormatVariables,
  UsageError,
} from '@tollgate/shared/config';
import { createSigningKey, exportAccessKeys, jwksOf, openKeyRing } from '@tollgate/shared/crypto';
import { StoreUnavailableError } from '@tollgate/shared/store';
import { SessionVariables } from '../config.js';
import { readSigningKeys } from '../token-setup.js';
import { type KeyReports, readKeyReports } from './key-reports.js';
import { keyStatus } from './key-status.js';
import { withStore } from './service-data.js';

const USAGE = `usage: keys export-access
       keys status
       keys create-signing-key [ES256|EdDSA]
       keys export-public [--pem]
export-access prints what another service needs beside ACCESS_SECRET to verify bearers: keep it as secret as that.
create-signing-key prints a new element of ACCESS_SIGNING_KEYS: keep it secret.
export-public prints the public keys of ACCESS_SIGNING_KEYS, which are no secret: a JSON Web Key Set, or PEM.
status says for each secret which step of changing it is safe now: append, front, drop.`;

type Environment = Readonly<Record<string, string | undefined>>;

function exportAccess(env: Environment): string[] {
  if (!env.ENCRYPTION_KEY && !env[fileVariableOf('ENCRYPTION_KEY')]) {
    throw new ConfigurationError([
      'ENCRYPTION_KEY is missing: it must be that of the service; after npm start it is in secrets.json in DATA_DIR',
    ]);
  }
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
  const lifetimes = {
    access: values.ACCESS_TTL,
    refresh: values.REFRESH_TTL,
    ...challengeLifetimes(captchaOptionsFrom(values)),
  };
  return keyStatus(await readReports(storeUrlOf(values), cacheStoreUrlOf(values)), lifetimes);
}

/** The lines of a new element of `ACCESS_SIGNING_KEYS`; undefined for an unknown algorithm. */
function newSigningKey(algorithm = 'ES256'): string[] | undefined {
  return algorithm === 'ES256' || algorithm === 'EdDSA' ? [createSigningKey(algorithm)] : undefined;
}

/**
 * The public keys of `ACCESS_SIGNING_KEYS`, as the line of a JSON Web Key Set or in PEM.
 * @throws ConfigurationError if the variable is missing or wrong
 */
function exportPublic(env: Readonly<Record<string, string | undefined>>, form: 'jwks' | 'pem'): string[] {
  const { ACCESS_SIGNING_KEYS } = readEnvironment(
    Type.Object({ ACCESS_SIGNING_KEYS: TokenFormatVariables.ACCESS_SIGNING_KEYS }),
    env,
  );
  if (ACCESS_SIGNING_KEYS === undefined) {
    throw new ConfigurationError([
      'ACCESS_SIGNING_KEYS is missing: it must be that of the service; after ACCESS_TOKEN_FORMAT=public npm start it is in secrets.json in DATA_DIR',
    ]);
  }
  const { all } = readSigningKeys(ACCESS_SIGNING_KEYS);
  if (form === 'jwks') return [JSON.stringify(jwksOf(all))];
  return all.map(({ key }) => String(key.export({ type: 'spki', format: 'pem' })).trimEnd());
}

function readReports(url: string, challengeUrl: string): Promise<KeyReports> {
  return withStore('STORE_URL', url, (store) => {
    if (challengeUrl === url) return readKeyReports(store, undefined);
    return withStore('CAPTCHA_CACHE_STORE', challengeUrl, (other) => readKeyReports(store, other));
  });
}

/** Runs one command and returns the exit code: 0, 1 if it failed, 2 if the command line is invalid. */
export async function runKeys(args: readonly string[], env: Environment): Promise<number> {
  const expected = [StoreUnavailableError];
  return runCommand({ name: 'keys', usage: USAGE, args, expected }, async () => {
    const lines = await linesOf(args, env);
    if (lines === undefined) throw new UsageError();
    for (const line of lines) console.log(line);
    return 0;
  });
}

/** The output of a command line; undefined if it is invalid. */
async function linesOf(
  [command, option, ...more]: readonly string[],
  env: Environment,
): Promise<string[] | undefined> {
  if (more.length > 0) return undefined;
  if (command === 'create-signing-key') return newSigningKey(option);
  if (command === 'export-public' && (option === undefined || option === '--pem')) {
    return exportPublic(env, option === undefined ? 'jwks' : 'pem');
  }
  if (option !== undefined) return undefined;
  if (command === 'export-access') return exportAccess(env);
  return command === 'status' ? status(env) : undefined;
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runKeys(process.argv.slice(2), process.env);
}
