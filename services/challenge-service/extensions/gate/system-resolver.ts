// Looks up names with the system's name servers, or with others.

import { Resolver } from 'node:dns/promises';
import { type NameResolver, ROBOT_NAME_BOUNDS } from './robot-names.js';

/** @param servers addresses of name servers, with a port if it is not 53; the system's by default */
export function systemResolver(servers?: readonly string[]): NameResolver {
  const resolver = new Resolver({ timeout: ROBOT_NAME_BOUNDS.timeoutMs, tries: 1 });
  if (servers !== undefined) resolver.setServers(servers);
  return {
    reverse: (address) => resolver.reverse(address),
    addressesOf: (name, family) => (family === 6 ? resolver.resolve6(name) : resolver.resolve4(name)),
  };
}
