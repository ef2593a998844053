// Checks the service's environment: mistakes, secrets, files of one machine, and whether it belongs to the running service.

import type { SessionConfig } from '@tollgate/session-service/config.js';
import { fileVariableOf, isLoopbackHost } from '@tollgate/shared/config';
import { createEnvelope, openKeyRing, openSigningKeys } from '@tollgate/shared/crypto';
import { type Finding, good, problem, warning } from '../report.js';

type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY'] as const;
const ALL_SECRETS = [...SECRETS, 'ACCESS_SIGNING_KEYS', 'CHALLENGE_SECRET'] as const;

interface ConfigurationFacts {
  /** Configuration errors that would prevent a start. */
  readonly mistakes: readonly string[];
  /** Configuration warnings. */
  readonly warnings: readonly string[];
  readonly publicUrl: string;
  /** `PUBLIC_URL` of the environment. */
  readonly configuredUrl: string | undefined;
  /** The lists of secrets, by variable. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  /** Variables that name a local file. */
  readonly embedded: readonly string[];
  readonly isProduction: boolean;
  /** Whether the public address never leaves this machine. */
  readonly isLocal: boolean;
  /** Whether the environment's keys verify a token of the running service; undefined if there is no token. */
  readonly opensToken: boolean | undefined;
  /** The variable with the keys of such a token. */
  readonly tokenKeys: 'ENCRYPTION_KEY' | 'ACCESS_SIGNING_KEYS';
}

/** Whether the variables of the session service seem to be set. */
export function isServiceEnvironment(env: Environment): boolean {
  return SECRETS.some((name) => Boolean(env[name] || env[fileVariableOf(name)]));
}

/** Facts from the requests to the public address. */
interface Seen {
  readonly publicUrl: string;
  /** An access token of the running service. */
  readonly accessToken: string | undefined;
}

/**
 * Gathers the facts; opens nothing.
 * @param config undefined if it cannot be read; `mistakes` has the reasons
 */
export function configurationFacts(
  env: Environment,
  config: SessionConfig | undefined,
  mistakes: readonly string[],
  { publicUrl, accessToken }: Seen,
): ConfigurationFacts {
  const values = config?.values;
  const urls = {
    STORE_URL: config?.storeUrl,
    CAPTCHA_CACHE_STORE: values?.CAPTCHA_CACHE_STORE,
    USERS_URL: config?.usersUrl,
  };
  const embedded = Object.entries(urls).filter(([, url]) => url?.startsWith('file:'));
  return {
    mistakes,
    warnings: config?.warnings ?? [],
    publicUrl,
    configuredUrl: values?.PUBLIC_URL,
    secrets: Object.fromEntries(ALL_SECRETS.map((name) => [name, values?.[name] ?? env[name]])),
    embedded: embedded.map(([name]) => name),
    isProduction: values?.NODE_ENV === 'production',
    isLocal: isLoopbackHost(new URL(publicUrl).hostname),
    opensToken: values === undefined || accessToken === undefined ? undefined : opens(values, accessToken),
    tokenKeys: accessToken?.includes('.') ? 'ACCESS_SIGNING_KEYS' : 'ENCRYPTION_KEY',
  };
}

/** Whether the environment's keys have encrypted or signed a token. */
function opens({ ENCRYPTION_KEY, ACCESS_SIGNING_KEYS }: SessionConfig['values'], token: string): boolean {
  const [head = '', ...rest] = token.split('.');
  if (rest.length === 0) return createEnvelope('access', openKeyRing(ENCRYPTION_KEY)).open(token) !== null;
  if (ACCESS_SIGNING_KEYS === undefined) return false;
  const header = Buffer.from(head, 'base64url').toString();
  return openSigningKeys(ACCESS_SIGNING_KEYS).all.some(({ id }) => header.includes(`"kid":"${id}"`));
}

/** Reports every mistake, a key rotation in progress, and an environment of another service. */
export function diagnoseConfiguration(facts: ConfigurationFacts): Finding[] {
  const found = [
    ...facts.mistakes.map((line) =>
      problem(
        'configuration',
        `The service would not start: ${line}.`,
        'Correct the variable named at the start.',
      ),
    ),
    ...facts.warnings.map((line) =>
      warning(
        'configuration',
        `The service starts, but: ${line}.`,
        'Correct the variable named at the start.',
      ),
    ),
    ...diagnoseSecrets(facts.secrets),
    ...diagnosePlace(facts),
    ...diagnoseEmbedded(facts),
  ];
  return found.length > 0
    ? found
    : [good('configuration', 'The environment is complete, and its secrets differ.')];
}

function diagnoseSecrets(secrets: ConfigurationFacts['secrets']): Finding[] {
  return Object.entries(secrets).flatMap(([name, list]) => {
    const elements = list?.split(',') ?? [];
    const found: Finding[] = [];
    if (elements.length > 1) {
      found.push(
        warning(
          'keys_changing',
          `${name} has ${elements.length} elements: a key rotation is in progress.`,
          'Run keys status for the next safe step.',
        ),
      );
    }
    return found;
  });
}

function diagnosePlace({ publicUrl, configuredUrl, opensToken, tokenKeys }: ConfigurationFacts): Finding[] {
  const found: Finding[] = [];
  if (configuredUrl !== undefined && configuredUrl.replace(/\/+$/, '') !== publicUrl.replace(/\/+$/, '')) {
    found.push(
      problem(
        'public_url_differs',
        `PUBLIC_URL is ${configuredUrl}, not the examined address.`,
        'Set it to the public address.',
      ),
    );
  }
  if (opensToken === false) {
    found.push(
      problem(
        'other_environment',
        `${tokenKeys} does not open a token of the running service: this is not its environment.`,
        "Start the doctor with the running service's variables.",
      ),
    );
  }
  return found;
}

function diagnoseEmbedded({ embedded, isProduction, isLocal }: ConfigurationFacts): Finding[] {
  if (embedded.length === 0 || (isLocal && !isProduction)) return [];
  return [
    warning(
      'embedded',
      `${embedded.join(', ')} ${embedded.length === 1 ? 'names' : 'name'} a file: it serves the processes of one machine alone.`,
      'For several machines use Redis, and PostgreSQL or a module for the users.',
    ),
  ];
}
