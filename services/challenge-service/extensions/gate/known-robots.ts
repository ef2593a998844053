// Recognises listed robots: by address range, or by the verified name of their address.

import { addressRanges } from './address-ranges.js';
import type { GateRobot } from './gate-options.js';
import { isBelow, type RobotNames } from './robot-names.js';

/** The actual and the claimed sender of a request. */
interface Claimant {
  /** As Fastify reports it. */
  readonly address: string;
  readonly userAgent: string;
}

/**
 * The name of the listed robot that sent a request; null for none; or, if its address could not be looked up, the
 * milliseconds until a retry.
 */
type FoundRobot = { readonly name: string } | { readonly name: null; readonly retryMs?: number | undefined };

/** Finds the robot that sent a request. */
type KnownRobots = (claimant: Claimant) => Promise<FoundRobot>;

const NONE: FoundRobot = { name: null };

/**
 * @param namesOf looks up the verified names of an address; called only for a request that claims to be a robot with `hosts`
 */
export function createKnownRobots(robots: readonly GateRobot[], namesOf: RobotNames): KnownRobots {
  const listed = robots.map(({ name, agent, hosts, addresses }) => ({
    name,
    hosts,
    agent: agent?.toLowerCase(),
    holds: addresses === undefined ? undefined : addressRanges(addresses),
  }));
  return async ({ address, userAgent }) => {
    if (listed.length === 0) return NONE;
    const agent = userAgent.toLowerCase();
    const claimed = listed.filter((robot) => robot.agent === undefined || agent.includes(robot.agent));
    const inRange = claimed.find(({ holds }) => holds?.(address) === true);
    if (inRange !== undefined) return { name: inRange.name };
    const named = claimed.filter(({ hosts }) => hosts !== undefined);
    if (named.length === 0) return NONE;
    const lookedUp = await namesOf(address);
    if (lookedUp.names === null) return { name: null, retryMs: lookedUp.retryMs };
    const { names } = lookedUp;
    const found = named.find(({ hosts = [] }) =>
      names.some((name) => hosts.some((domain) => isBelow(name, domain))),
    );
    return { name: found?.name ?? null };
  };
}
