// Reads the address of a store.

import { resolve } from 'node:path';

/** Where a store is. */
export type StoreAddress =
  | { readonly kind: 'embedded'; readonly path: string }
  | { readonly kind: 'redis'; readonly url: string }
  | {
      readonly kind: 'cluster';
      readonly nodes: HostPort[];
      readonly username?: string;
      readonly password?: string;
    }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: HostPort[];
      readonly name: string;
      readonly db: number;
      readonly username?: string;
      readonly password?: string;
    };

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const MANY_HOSTS =
  /^redis\+(cluster|sentinel):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/]+)(?:\/([^/]*))?(?:\/(\d+))?\/?$/;

/**
 * Reads a store's URL (decisions 4, `STORE_URL`): `file:PATH`, `redis://`, `rediss://`,
 * `redis+cluster://h1:p,h2:p/` or `redis+sentinel://h1:p,h2:p/NAME/DB`.
 *
 * @param root folder that a relative `file:` path starts from
 * @throws RangeError saying what a store's URL looks like; it never repeats the URL, which may hold a password
 */
export function parseStoreUrl(url: string, root: string): StoreAddress {
  if (url.startsWith('file:') && url.length > 5) {
    return { kind: 'embedded', path: resolve(root, url.slice(5)) };
  }
  if (/^rediss?:\/\//.test(url) && URL.canParse(url)) return { kind: 'redis', url };
  const match = MANY_HOSTS.exec(url);
  if (match === null) {
    throw new RangeError(
      'must be file:PATH, redis://…, rediss://…, redis+cluster://host:port,…/ or redis+sentinel://host:port,…/NAME/DB',
    );
  }
  const [, kind, username, password, hosts = '', name = '', db = '0'] = match;
  const login = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
  };
  if (kind === 'cluster')
    return { kind, nodes: hosts.split(',').map((host) => hostPort(host, 6379)), ...login };
  if (name === '') throw new RangeError('redis+sentinel:// needs the name of the master after the hosts');
  const sentinels = hosts.split(',').map((host) => hostPort(host, 26379));
  return { kind: 'sentinel', sentinels, name, db: Number(db), ...login };
}

/** The address of a store without its user and password, for people to read. */
export function describeStoreUrl(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}

function hostPort(text: string, defaultPort: number): HostPort {
  const at = text.lastIndexOf(':');
  const host = at > 0 ? text.slice(0, at) : text;
  const port = at > 0 ? Number(text.slice(at + 1)) : defaultPort;
  if (host === '' || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new RangeError('has a host or a port that is none');
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}
