// Looks from where the services run: their admin ports, and what the store counted.

import { Type } from '@sinclair/typebox';
import { readEnvironment } from '@tollgate/shared/config/environment.js';
import { ChallengeListenVariables } from '@tollgate/shared/config/variables.js';
import { StoreUnavailableError } from '@tollgate/shared/store/store-errors.js';
import type { Answer } from './answer.js';
import type { Environment, EnvironmentLook } from './environment.js';
import { exchange } from './exchange.js';
import { countedAddress, proxyAddresses } from './inside/counted-address.js';
import type { ReadinessFacts } from './inside/readiness.js';
import { addressesOf } from './outside/address-facts.js';
import type { CountedAddress } from './outside/addresses.js';
import type { OutsideLook } from './outside.js';
import type { Visitor } from './visitor.js';

export interface InsideLook {
  readonly counted: CountedAddress | undefined;
  readonly readiness: ReadinessFacts;
  readonly notLookedAt: readonly string[];
}

const ADMIN_MS = 2000;

/** Nothing when the configuration cannot be read. */
export async function lookFromInside(
  visitor: Visitor,
  look: EnvironmentLook,
  outside: OutsideLook,
  env: Environment,
): Promise<InsideLook> {
  const { config } = look;
  if (config === undefined) return { counted: undefined, readiness: {}, notLookedAt: [] };
  const { ADMIN_BIND, SESSION_ADMIN_PORT } = config.values;
  const { CHALLENGE_ADMIN_PORT } = readEnvironment(Type.Object(ChallengeListenVariables), env);
  const readiness: Record<string, Answer> = {};
  const notLookedAt: string[] = [];
  for (const [service, port] of [
    ['session-service', SESSION_ADMIN_PORT],
    ['challenge-service', CHALLENGE_ADMIN_PORT],
  ] as const) {
    const url = `http://${reachableHost(ADMIN_BIND)}:${port}/health/ready`;
    const answer = await exchange('GET', url, { timeoutMs: ADMIN_MS });
    if (typeof answer.json.checks === 'object') readiness[service] = answer;
    else notLookedAt.push(`/health/ready of ${service}: its admin port is not reached from here.`);
  }
  return { counted: await countOne(visitor, look, outside), readiness, notLookedAt };
}

/** Where addresses are told apart from outside, the store is not asked. */
async function countOne(visitor: Visitor, { config, counters }: EnvironmentLook, outside: OutsideLook) {
  const { apart, plain } = outside.addresses;
  if (counters === undefined || apart.length > 1 || plain.length === 0) return undefined;
  const proxies = proxyAddresses(await addressesOf(visitor), config?.values.TRUST_PROXY ?? []);
  const others = proxies.filter((address) => address !== outside.localAddress);
  try {
    return await countedAddress(counters, outside.localAddress, others, () =>
      visitor.issueImage(outside.route),
    );
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

/** What is bound to every address is reached at loopback. */
function reachableHost(bind: string): string {
  if (bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}
