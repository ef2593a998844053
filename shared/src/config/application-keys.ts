// The keys of the hosts that use the host API: `HOST_API_KEY` and `HOST_API_KEYS`.

import { APPLICATION_NAME_FORM, isApplicationName } from '../schemas/names.js';
import { isWeakSecret, WEAK_SECRET } from './secrets.js';

/** A host and the key that it presents. */
export interface ApplicationKey {
  readonly application: string;
  readonly secret: string;
}

interface ApplicationKeyVariables {
  readonly HOST_API_KEY?: string | undefined;
  readonly HOST_API_KEYS?: string | undefined;
}

/** The host that `HOST_API_KEY` belongs to. */
const DEFAULT_APPLICATION = 'default';

/** The session service counts under this name; no other host may read or clear its counters. */
export const SESSION_APPLICATION = 'login';

const SHORTEST_SECRET = 32;

/** What is wrong with the name of a host, as words that follow its place; null when nothing is. */
export function applicationNameMistake(name: unknown): string | null {
  if (!isApplicationName(name)) return `must have ${APPLICATION_NAME_FORM}`;
  return name === SESSION_APPLICATION
    ? `must not be named ${SESSION_APPLICATION}, as the session service is`
    : null;
}

/** The keys in the order of the variables; what `checkHostKeys` complains of may be among them. */
export function applicationKeysFrom({
  HOST_API_KEY,
  HOST_API_KEYS,
}: ApplicationKeyVariables): ApplicationKey[] {
  const named = HOST_API_KEYS?.split(',').map((element) => {
    const at = element.indexOf(':');
    return {
      application: element.slice(0, Math.max(at, 0)).trim(),
      secret: at < 0 ? '' : element.slice(at + 1).trim(),
    };
  });
  return [
    ...(HOST_API_KEY === undefined ? [] : [{ application: DEFAULT_APPLICATION, secret: HOST_API_KEY }]),
    ...(named ?? []),
  ];
}

/**
 * Every host has a name of its own and a secret of its own, of at least 32 characters (decisions 2.3) that is not easy to guess. The lines show no
 * secret, and no name, because who has confused the two has put a secret in its place.
 *
 * @param taken secrets that serve another purpose
 */
export function checkApplicationKeys(
  variables: ApplicationKeyVariables,
  taken: readonly string[] = [],
): string[] {
  const { HOST_API_KEY } = variables;
  const hosts = new Set<string>();
  const secrets = new Set(taken);
  const keys = applicationKeysFrom(variables);
  return keys.flatMap(({ application, secret }, at) => {
    const isDefault = at === 0 && HOST_API_KEY !== undefined;
    const element = HOST_API_KEY === undefined ? at + 1 : at;
    const where = isDefault ? 'HOST_API_KEY' : `HOST_API_KEYS: element ${element}`;
    if (application === '' || secret === '') return [`${where} must have the form name:secret`];
    const mistakes = [
      applicationNameMistake(application),
      hosts.has(application) ? `must not have a name that is already taken` : null,
      secretMistake(secret),
      secrets.has(secret) ? 'must differ from every other secret' : null,
    ].flatMap((mistake) => (mistake === null ? [] : [`${where} ${mistake}`]));
    hosts.add(application);
    secrets.add(secret);
    return mistakes;
  });
}

function secretMistake(secret: string): string | null {
  if ([...secret].length < SHORTEST_SECRET)
    return `must have a secret of at least ${SHORTEST_SECRET} characters`;
  if (secret.includes(',')) return 'must not have a comma inside: HOST_API_KEYS holds more than one';
  return isWeakSecret(secret) ? WEAK_SECRET : null;
}
