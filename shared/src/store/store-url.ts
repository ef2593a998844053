// Parses the URL of a store.

import { resolve } from 'node:path';

/** The address of a store. */
export type StoreAddress =
  | { readonly kind: 'embedded'; readonly path: string }
  | { readonly kind: 'redis'; readonly url: string }
  | {
      readonly kind: 'cluster';
      readonly nodes: HostPort[];
      readonly usesTls?: true;
      readonly username?: string;
      readonly password?: string;
    }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: HostPort[];
      readonly name: string;
      readonly db: number;
      /** To the Sentinels and to the master. */
      readonly usesTls?: true;
      readonly username?: string;
      readonly password?: string;
    };

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Formats an address as in a URL. */
export function hostAndPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const MANY_HOSTS =
  /^redis(s?)\+(cluster|sentinel):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/]+)(?:\/([^/]*))?(?:\/(\d+))?\/?$/;

const HOST_PORT = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:@[\]\s]+))(?::([0-9]{1,5}))?$/;
/** The path of a `redis://` URL: empty, or the number of a database. */
const DATABASE = /^(?:\/[0-9]*)?$/;

/**
 * Parses the URL of a store: `file:PATH`, `redis://`, `redis+cluster://h1:p,h2:p/` or
 * `redis+sentinel://h1:p,h2:p/NAME/DB`; with TLS, `rediss` in place of `redis`.
 *
 * @param root folder that a relative `file:` path starts from
 * @throws RangeError with the accepted forms; the message does not contain the URL, which may include a password
 */
export function parseStoreUrl(url: string, root: string): StoreAddress {
  // At the end of a path it would name another file.
  if (url !== url.trim()) throw new RangeError('must not have white space around it');
  if (url.startsWith('file:') && url.length > 5) {
    return { kind: 'embedded', path: resolve(root, url.slice(5)) };
  }
  if (isRedisUrl(url)) return { kind: 'redis', url };
  const match = MANY_HOSTS.exec(url);
  if (match === null) {
    throw new RangeError(
      'must be file:PATH, redis://…, rediss://…, redis+cluster://host:port,…/ or redis+sentinel://host:port,…/NAME/DB, with TLS rediss+…',
    );
  }
  const [, tls, kind, username, password, hosts = '', name = '', db = '0'] = match;
  const access = {
    ...(tls ? { usesTls: true as const } : {}),
    ...(username ? { username: decode(username) } : {}),
    ...(password ? { password: decode(password) } : {}),
  };
  if (kind === 'cluster')
    return { kind, nodes: hosts.split(',').map((host) => hostPort(host, 6379)), ...access };
  if (name === '') throw new RangeError('redis+sentinel:// needs the name of the master after the hosts');
  const sentinels = hosts.split(',').map((host) => hostPort(host, 26379));
  return { kind: 'sentinel', sentinels, name, db: Number(db), ...access };
}

/** Returns the URL without user, password and options, for messages. */
export function describeStoreUrl(url: string): string {
  if (url.startsWith('file:')) return url;
  // Up to the last @: a password that is not percent-encoded may contain others.
  return url.replace(/\/\/.*@/s, '//').replace(/\?.*/s, '');
}

function isRedisUrl(url: string): boolean {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) return false;
  const { hostname, pathname, username, password } = new URL(url);
  // The client decodes both and would throw another error.
  for (const part of [username, password]) decode(part);
  return hostname !== '' && DATABASE.test(pathname);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError('has a user or a password with a % that is not percent-encoded (%25)');
  }
}

function hostPort(text: string, defaultPort: number): HostPort {
  const [, ip6, name, digits] = HOST_PORT.exec(text) ?? [];
  const host = ip6 ?? name;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new RangeError('has an invalid host or port');
  }
  return { host, port };
}
