// Simplifies the configuration of services that only their own machine can reach: a developer's or a test's.

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { ConfigurationError } from '../schemas/configuration-error.js';
import { fileVariableOf } from './secret-files.js';
import { createSecretsFile, readSecretsFile, secretsPathOf } from './secrets-file.js';
import { isLoopbackHost, reachableHost } from './sites.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether only this machine can reach the services of an environment: `BIND` and `PUBLIC_URL`, if set, are loopback
 * addresses, and `NODE_ENV` is not `production`.
 */
export function isThisMachineOnly({ BIND, PUBLIC_URL, NODE_ENV }: Environment): boolean {
  if (NODE_ENV === 'production') return false;
  if (BIND && (/^(?:0\.0\.0\.0|::)$/.test(BIND) || !isLoopbackHost(reachableHost(BIND)))) return false;
  return !PUBLIC_URL || (URL.canParse(PUBLIC_URL) && isLoopbackHost(new URL(PUBLIC_URL).hostname));
}

/**
 * Completes the port and the address of a service. `PORT`, which hosting platforms set, is its port unless its own variable
 * is set. If only this machine can reach it, `PUBLIC_URL` is `http://localhost:` and that port unless set.
 *
 * @param portVariable the service's own variable, such as `SESSION_PORT`
 * @param usualPort its default
 */
export function withPortAndAddress(env: Environment, portVariable: string, usualPort: number): Environment {
  const port = env[portVariable] || env.PORT || String(usualPort);
  // With port 0 the address is not known yet.
  const isKnown = isThisMachineOnly(env) && /^[1-9]\d*$/.test(port);
  return {
    ...env,
    [portVariable]: port,
    PUBLIC_URL: env.PUBLIC_URL || (isKnown ? `http://localhost:${port}` : undefined),
  };
}

/**
 * Completes a missing `CHALLENGE_SECRET` if only this machine can reach the service: from `secrets.json` in `DATA_DIR`,
 * which it creates if necessary, so that both services have the same.
 *
 * @param root folder that a relative `DATA_DIR` starts from
 * @throws ConfigurationError with one line if the file cannot be used
 */
export function withChallengeSecret(env: Environment, root: string): Environment {
  const isGiven = Boolean(env.CHALLENGE_SECRET || env[fileVariableOf('CHALLENGE_SECRET')]);
  if (isGiven || !isThisMachineOnly(env)) return env;
  const folder = resolve(root, env.DATA_DIR || './data');
  const { CHALLENGE_SECRET } =
    readSecretsFile(folder) ??
    createSecretsFile(folder, { CHALLENGE_SECRET: randomBytes(32).toString('base64url') });
  if (CHALLENGE_SECRET !== undefined) return { ...env, CHALLENGE_SECRET };
  throw new ConfigurationError([`CHALLENGE_SECRET is missing, and ${secretsPathOf(folder)} has none`]);
}
