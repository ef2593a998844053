// Secrets of a local system: created on the first run, in DATA_DIR/secrets.json, readable by its owner only.
import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import {
  readSecretsFile,
  replaceSecretsFile,
  secretsPathOf,
  withSecretsFromFiles,
} from '@tollgate/shared/config';
import { createSigningKey } from '@tollgate/shared/crypto';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { type Environment, StartError } from './local-environment.js';

const secretNames = [
  'ACCESS_SECRET',
  'REFRESH_SECRET',
  'ENCRYPTION_KEY',
  'CHALLENGE_SECRET',
  'DEMO_PASSWORD',
] as const;

/** Created only for a system that uses it: with the format `public`. */
const signingKeys = 'ACCESS_SIGNING_KEYS';

/** Every variable that can come from a file: those that `npm start` creates, and a service's optional secrets. */
export const fileSecrets: readonly string[] = [
  ...secretNames,
  signingKeys,
  'STORE_URL',
  'CAPTCHA_CACHE_STORE',
  'USERS_URL',
  'SESSION_API_KEY',
  'HOST_API_KEY',
  'HOST_API_KEYS',
];

export type Secrets = Readonly<Record<(typeof secretNames)[number], string>> & {
  readonly [signingKeys]?: string;
};

/**
 * Returns the environment with secrets read from files (`ACCESS_SECRET_FILE`).
 * @throws {StartError} with a line for each unusable file
 */
export function readSecretFiles(environment: Environment): Environment {
  try {
    return withSecretsFromFiles(environment, fileSecrets);
  } catch (error) {
    throw error instanceof ConfigurationError ? new StartError(error.message) : error;
  }
}

/** Letters and digits that are easy to tell apart. */
const readable = 'abcdefghjkmnpqrstuvwxyz23456789';

/**
 * Reads the secrets and creates missing ones. Variables take precedence over the file.
 * @param dataFolder absolute; created with mode 0700
 * @throws {StartError} if the file exists in another format
 */
export function openSecrets(dataFolder: string, environment: Environment): Secrets {
  const isPublic = environment.ACCESS_TOKEN_FORMAT === 'public';
  const names: readonly (keyof Secrets)[] = isPublic ? [...secretNames, signingKeys] : secretNames;
  const given = pickSecrets(environment);
  if (names.every((name) => given[name] !== undefined)) return given as Secrets;
  const path = secretsPathOf(dataFolder);
  const kept = readKept(dataFolder);
  const made = { ...makeSecrets(), ...(isPublic ? { [signingKeys]: createSigningKey('ES256') } : {}) };
  const complete = { ...made, ...kept };
  if (names.some((name) => kept[name] === undefined)) replaceSecretsFile(dataFolder, complete);
  else if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return { ...complete, ...given };
}

function makeSecrets(): Secrets {
  const secret = () => randomBytes(32).toString('base64url');
  const group = () => Array.from({ length: 4 }, () => readable[randomInt(readable.length)]).join('');
  return {
    ACCESS_SECRET: secret(),
    REFRESH_SECRET: secret(),
    ENCRYPTION_KEY: secret(),
    CHALLENGE_SECRET: secret(),
    DEMO_PASSWORD: [group(), group(), group(), group()].join('-'),
  };
}

function readKept(dataFolder: string): Partial<Secrets> {
  try {
    return pickSecrets(readSecretsFile(dataFolder) ?? {});
  } catch (error) {
    throw error instanceof ConfigurationError ? new StartError(error.message) : error;
  }
}

function pickSecrets(source: Record<string, unknown>): Partial<Secrets> {
  const found = [...secretNames, signingKeys].flatMap((name) => {
    const value = source[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}
