// Parses USERS_URL.

import { resolve } from 'node:path';

/** Location of the users. */
export type UsersLocation =
  | { readonly kind: 'embedded'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'module'; readonly path: string };

/**
 * Parses `file:PATH`, `postgres://…` (also `postgresql://…`) or `module:PATH`.
 * @param root folder that relative paths start from
 * @throws RangeError for any other URL; the message does not repeat the URL, which may contain a password
 */
export function parseUsersUrl(url: string, root: string): UsersLocation {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(url) ?? [];
  if (scheme === 'file') return { kind: 'embedded', path: resolve(root, rest) };
  if (scheme === 'module') return { kind: 'module', path: resolve(root, rest) };
  if ((scheme === 'postgres' || scheme === 'postgresql') && rest.startsWith('//')) {
    return { kind: 'postgres', url };
  }
  throw new RangeError('must be file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH');
}
