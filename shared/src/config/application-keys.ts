// The keys of the hosts that use the host API: `HOST_API_KEY` and `HOST_API_KEYS`.

import { HOST_NAME_FORM, isHostName } from '../schemas/names.js';
import { isWeakSecret, WEAK_SECRET } from './secrets.js';

/** A host and the key that it presents. */
export interface HostKey {
  readonly host: string;
  readonly secret: string;
}

interface HostVariables {
  readonly HOST_API_KEY?: string | undefined;
  readonly HOST_API_KEYS?: string | undefined;
}

/** The host that `HOST_API_KEY` belongs to. */
const DEFAULT_HOST = 'default';

/** The session service counts under this name; no other host may read or clear its counters. */
export const SESSION_HOST = 'login';

const SHORTEST_SECRET = 32;

/** What is wrong with the name of a host, as words that follow its place; null when nothing is. */
export function hostNameMistake(name: unknown): string | null {
  if (!isHostName(name)) return `must have ${HOST_NAME_FORM}`;
  return name === SESSION_HOST ? `must not be named ${SESSION_HOST}, as the session service is` : null;
}

/** The keys in the order of the variables; what `checkHostKeys` complains of may be among them. */
export function hostKeysFrom({ HOST_API_KEY, HOST_API_KEYS }: HostVariables): HostKey[] {
  const named = HOST_API_KEYS?.split(',').map((element) => {
    const at = element.indexOf(':');
    return {
      host: element.slice(0, Math.max(at, 0)).trim(),
      secret: at < 0 ? '' : element.slice(at + 1).trim(),
    };
  });
  return [
    ...(HOST_API_KEY === undefined ? [] : [{ host: DEFAULT_HOST, secret: HOST_API_KEY }]),
    ...(named ?? []),
  ];
}

/**
 * Every host has a name of its own and a secret of its own, of at least 32 characters (decisions 2.3) that is not easy to guess. The lines show no
 * secret, and no name, because who has confused the two has put a secret in its place.
 *
 * @param taken secrets that serve another purpose
 */
export function checkHostKeys(variables: HostVariables, taken: readonly string[] = []): string[] {
  const { HOST_API_KEY } = variables;
  const hosts = new Set<string>();
  const secrets = new Set(taken);
  const keys = hostKeysFrom(variables);
  return keys.flatMap(({ host, secret }, at) => {
    const isDefault = at === 0 && HOST_API_KEY !== undefined;
    const element = HOST_API_KEY === undefined ? at + 1 : at;
    const where = isDefault ? 'HOST_API_KEY' : `HOST_API_KEYS: element ${element}`;
    if (host === '' || secret === '') return [`${where} must have the form name:secret`];
    const mistakes = [
      hostNameMistake(host),
      hosts.has(host) ? `must not have a name that is already taken` : null,
      secretMistake(secret),
      secrets.has(secret) ? 'must differ from every other secret' : null,
    ].flatMap((mistake) => (mistake === null ? [] : [`${where} ${mistake}`]));
    hosts.add(host);
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
