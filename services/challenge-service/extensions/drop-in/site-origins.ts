// Which origins may call a site's paths: those of pages with its host names.

import type { OriginRule } from '@tollgate/shared/http';
import { hostnameMatcher, hostnameOf } from './hostnames.js';
import type { Sites } from './read-sites.js';

const SITE_OF_PATH = /^\/sites\/([A-Za-z0-9_-]{1,64})(?:[/?]|$)/;

/**
 * Returns a function from a request URL to the cross-origin rule of its site; undefined for any other URL.
 * @param prefix of all paths, with a leading slash
 */
export function siteOrigins(sites: Sites, prefix: string): (url: string) => OriginRule | undefined {
  const rules = new Map<string, OriginRule>();
  for (const { key, hostnames } of sites.values()) {
    const matches = hostnameMatcher(hostnames);
    rules.set(key, (origin) => {
      const hostname = hostnameOf(origin);
      return hostname !== null && matches(hostname);
    });
  }
  return (url) => {
    const key = url.startsWith(prefix) ? SITE_OF_PATH.exec(url.slice(prefix.length))?.[1] : undefined;
    return key === undefined ? undefined : rules.get(key);
  };
}
