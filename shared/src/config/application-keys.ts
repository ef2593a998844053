// The application keys of the host API: `HOST_API_KEY` and `HOST_API_KEYS`.

import { APPLICATION_NAME_FORM, isApplicationName } from '../schemas/names.js';
import { isWeakSecret, WEAK_SECRET } from './secrets.js';

/** An application and its key. */
export interface ApplicationKey {
  readonly application: string;
  readonly secret: string;
}

interface ApplicationKeyVariables {
  readonly HOST_API_KEY?: string | undefined;
  readonly HOST_API_KEYS?: string | undefined;
}

/** The application of `HOST_API_KEY`. */
const DEFAULT_APPLICATION = 'default';

/** The name under which the session service counts failures; no other application may read or clear them. */
export const SESSION_APPLICATION = 'login';

/** The name under which the gate counts its challenges. */
export const GATE_APPLICATION = 'gate';

const RESERVED: Readonly<Record<string, string>> = {
  [SESSION_APPLICATION]: 'the session service',
  [GATE_APPLICATION]: 'the gate',
};

const SHORTEST_SECRET = 32;

/** Returns the mistake in an application's name, worded to follow its place, or null. */
export function applicationNameMistake(name: unknown): string | null {
  if (!isApplicationName(name)) return `must have ${APPLICATION_NAME_FORM}`;
  const owner = Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined;
  return owner === undefined ? null : `must not be named ${name}, the name of ${owner}`;
}

/** Returns the keys in the order of the variables, without checking them: `checkApplicationKeys` does. */
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
 * Checks that every application has its own name and its own secret of at least 32 characters that is hard to guess. The
 * lines contain neither secrets nor names, because an operator who confuses the two puts a secret in place of a name.
 * @param taken secrets with another purpose
 */
export function checkApplicationKeys(
  variables: ApplicationKeyVariables,
  taken: readonly string[] = [],
): string[] {
  const { HOST_API_KEY } = variables;
  const applications = new Set<string>();
  const secrets = new Set(taken);
  const keys = applicationKeysFrom(variables);
  return keys.flatMap(({ application, secret }, at) => {
    const isDefault = at === 0 && HOST_API_KEY !== undefined;
    const element = HOST_API_KEY === undefined ? at + 1 : at;
    const where = isDefault ? 'HOST_API_KEY' : `HOST_API_KEYS: element ${element}`;
    if (application === '' || secret === '') return [`${where} must have the form name:secret`];
    const mistakes = [
      applicationNameMistake(application),
      applications.has(application) ? `must not have a name that is already taken` : null,
      secretMistake(secret),
      secrets.has(secret) ? 'must differ from every other secret' : null,
    ].flatMap((mistake) => (mistake === null ? [] : [`${where} ${mistake}`]));
    applications.add(application);
    secrets.add(secret);
    return mistakes;
  });
}

function secretMistake(secret: string): string | null {
  if ([...secret].length < SHORTEST_SECRET)
    return `must have a secret of at least ${SHORTEST_SECRET} characters`;
  if (secret.includes(',')) return 'must not contain a comma: use HOST_API_KEYS for several keys';
  // A header arrives without it.
  if (secret !== secret.trim()) return 'must not have white space around it';
  return isWeakSecret(secret) ? WEAK_SECRET : null;
}
