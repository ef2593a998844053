// Examines one installation: first through its public address, then with the service's environment.

import { examineInside, type InsideOptions } from './examine-inside.js';
import { examineOutside, type OutsideOptions } from './examine-outside.js';
import { isServiceEnvironment } from './inside/configuration.js';
import { areToldApart, diagnoseAddresses } from './outside/addresses.js';
import { createPublicClient, type PublicAddress } from './public-client.js';
import type { Report } from './report.js';

/** The installation to examine. */
export interface Target extends PublicAddress, OutsideOptions, Omit<InsideOptions, 'email'> {}

/**
 * Runs every check that the target allows: those of the environment only if `env` is that of the session service. It
 * ends the session that it starts, and changes nothing else.
 */
export async function examine(target: Target): Promise<Report> {
  const { publicUrl, account, env, root } = target;
  const client = createPublicClient(target);
  const outside = await examineOutside(client, target);
  const inside = isServiceEnvironment(env)
    ? await examineInside(client, { env, root, email: account?.email }, outside)
    : undefined;

  const addresses = { ...outside.tags, counted: inside?.counted, trustProxy: inside?.trustProxy };
  const skipped = [...outside.skipped];
  if (addresses.plain.length > 0 && addresses.trustProxy?.length !== 0 && !areToldApart(addresses)) {
    skipped.push(
      'Separate client addresses: this machine reaches the gateway from one address only. Compare RateLimit-Remaining from two places.',
    );
  }
  skipped.push(
    ...(inside?.skipped ?? ["Secrets, stores and users: need the session service's environment."]),
  );
  return {
    publicUrl,
    findings: [...outside.findings, ...diagnoseAddresses(addresses), ...(inside?.findings ?? [])],
    skipped,
  };
}
