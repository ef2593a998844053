// Checks of the configuration across several variables, or of the meaning of a value.

import { isLoopbackHttp, isWeakSecret, WEAK_SECRET } from '@tollgate/shared/config';

/** Other services have this key, so it must not be one of the secrets. */
export function checkApiKey(values: {
  SESSION_API_KEY?: string;
  ACCESS_SECRET?: string;
  REFRESH_SECRET?: string;
  ENCRYPTION_KEY?: string;
  CHALLENGE_SECRET?: string;
}): string[] {
  const { SESSION_API_KEY: key, ACCESS_SECRET, REFRESH_SECRET, ENCRYPTION_KEY, CHALLENGE_SECRET } = values;
  const lists = { ACCESS_SECRET, REFRESH_SECRET, ENCRYPTION_KEY, CHALLENGE_SECRET };
  if (key === undefined) return [];
  const owner = Object.entries(lists).find(([, list]) => list?.split(',').includes(key));
  if (owner !== undefined) return [`SESSION_API_KEY must not be an element of ${owner[0]}`];
  return isWeakSecret(key) ? [`SESSION_API_KEY ${WEAK_SECRET}`] : [];
}

/** The embedded directory works on a single machine, so in production it requires explicit consent. */
export function checkDirectory(values: {
  USERS_URL?: string;
  ALLOW_EMBEDDED?: boolean;
  NODE_ENV?: string;
}): string[] {
  const embedded = values.USERS_URL === undefined || values.USERS_URL.startsWith('file:');
  if (!embedded || values.NODE_ENV !== 'production' || values.ALLOW_EMBEDDED === true) return [];
  return ['USERS_URL must name an external directory with NODE_ENV=production, unless ALLOW_EMBEDDED=true'];
}

/** The placeholders of each statement; the database itself checks the rest. */
const PLACEHOLDERS = {
  USERS_BY_EMAIL: ['$1'],
  USERS_BY_ID: ['$1'],
  USERS_SAVE_HASH: ['$1', '$2', '$3'],
} as const;

/** A PostgreSQL directory needs both searches, and each statement must use all its placeholders. */
export function checkStatements(
  values: { [Name in 'USERS_URL' | keyof typeof PLACEHOLDERS]?: string },
): string[] {
  if (!values.USERS_URL?.startsWith('postgres')) return [];
  return (Object.keys(PLACEHOLDERS) as (keyof typeof PLACEHOLDERS)[]).flatMap((name) => {
    const text = values[name];
    if (text === undefined) {
      if (name === 'USERS_SAVE_HASH') return [];
      return [`${name} is missing: with postgres:// it must be a statement that finds a user by $1`];
    }
    const used = new Set(text.match(/\$\d+/g));
    const wanted: readonly string[] = PLACEHOLDERS[name];
    const isRight = used.size === wanted.length && wanted.every((placeholder) => used.has(placeholder));
    return isRight ? [] : [`${name} must use ${wanted.join(', ')} and no other placeholder`];
  });
}

/**
 * The page cookie belongs to the host of `PUBLIC_URL`: no other host receives it, and browsers store it only over https or
 * on this machine. Its pages need a login page to send a visitor to.
 */
export function checkPageCookie(
  values: { PAGE_COOKIE?: boolean; PUBLIC_URL?: string; CORS_ORIGIN?: string },
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const { PAGE_COOKIE, PUBLIC_URL, CORS_ORIGIN } = values;
  if (PAGE_COOKIE !== true) return [];
  // An invalid address has a line of its own.
  const mistakes = !env.PAGE_LOGIN_URL ? ['PAGE_LOGIN_URL is missing: PAGE_COOKIE=true needs it'] : [];
  if (PUBLIC_URL === undefined || !URL.canParse(PUBLIC_URL)) return mistakes;
  const { hostname, protocol } = new URL(PUBLIC_URL);
  if (protocol === 'http:' && !isLoopbackHttp(PUBLIC_URL)) {
    mistakes.push(`PAGE_COOKIE must be false unless PUBLIC_URL begins with https://, not ${PUBLIC_URL}`);
  }
  if (CORS_ORIGIN !== undefined && URL.canParse(CORS_ORIGIN) && new URL(CORS_ORIGIN).hostname !== hostname) {
    mistakes.push(
      `PAGE_COOKIE must be false unless pages and services have the same host: CORS_ORIGIN is ${CORS_ORIGIN}, PUBLIC_URL is ${PUBLIC_URL}`,
    );
  }
  return mistakes;
}
