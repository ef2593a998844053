// What a USERS_URL names.

import { resolve } from 'node:path';

/** Where users are kept. */
export type UsersPlace =
  | { readonly kind: 'embedded'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'module'; readonly path: string };

/**
 * Reads `file:PATH`, `postgres://…` (also `postgresql://…`) or `module:PATH`.
 * @param root folder that a relative path starts from
 * @throws RangeError for another kind of URL, which it never repeats: there may be a password in it
 */
export function parseUsersUrl(url: string, root: string): UsersPlace {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.+)$/s.exec(url) ?? [];
  if (scheme === 'file') return { kind: 'embedded', path: resolve(root, rest) };
  if (scheme === 'module') return { kind: 'module', path: resolve(root, rest) };
  if ((scheme === 'postgres' || scheme === 'postgresql') && rest.startsWith('//')) {
    return { kind: 'postgres', url };
  }
  throw new RangeError('must be file:PATH, postgres://USER:PASSWORD@HOST/DATABASE or module:PATH');
}
