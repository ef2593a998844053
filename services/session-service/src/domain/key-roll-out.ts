// Decides which step of changing a key is safe now: append, move to the front, drop.

import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';

/** The variables whose elements can be changed one by one. */
export const keyVariables = [
  'ACCESS_SECRET',
  'REFRESH_SECRET',
  'ENCRYPTION_KEY',
  'CHALLENGE_SECRET',
] as const;
export type KeyVariable = (typeof keyVariables)[number];

/** The longest lifetimes of what is created with the keys, in seconds. Nodes report them by these names. */
export interface KeyLifetimes {
  /** Access tokens: `ACCESS_TTL`. */
  readonly access: number;
  /** Refresh tokens: `REFRESH_TTL`. */
  readonly refresh: number;
  /** What contains a key id of `CHALLENGE_SECRET`: challenges of every type, scope tickets. */
  readonly challenge: number;
  /** How long failures are remembered: `CAPTCHA_ESCALATION_DECAY`. */
  readonly decay: number;
}

/** The reports of the nodes on one variable (shared/keys/key-record.ts). */
export interface ReportedRing {
  readonly nowMs: number;
  /** When the record of reports was created. */
  readonly sinceMs: number;
  /** The key ids of each node that has the variable. Nodes that create tokens use the first one. */
  readonly nodes: readonly { readonly makes: boolean; readonly ids: readonly string[] }[];
  /** When a node last reported that it uses a key. */
  lastUsedMs(id: string): number | undefined;
}

/** The step that is safe now, or what must happen first. */
export type KeyStep =
  | { readonly step: 'unknown' }
  /** Some nodes do not accept the key yet, or no longer: complete this roll-out first. */
  | { readonly step: 'finish'; readonly id: string; readonly acceptedBy: number; readonly nodes: number }
  /** All nodes accept the keys, but not all use the same one. */
  | { readonly step: 'finish_front'; readonly ids: readonly string[] }
  /** No node has used the key, so it is new; an unused old key may be dropped from `dropFromMs` on. */
  | { readonly step: 'front'; readonly id: string; readonly dropFromMs: number }
  | { readonly step: 'wait'; readonly id: string; readonly untilMs: number }
  | { readonly step: 'drop'; readonly id: string }
  | { readonly step: 'append' };

/**
 * The steps for one variable: one per key that is not in use, otherwise a single one.
 *
 * @param lifetimeMs longest lifetime of what is created with the key, in milliseconds
 * @param reportMs time between two reports of a node, in milliseconds; its use of keys since the last one is unknown
 */
export function keySteps(ring: ReportedRing, lifetimeMs: number, reportMs: number): KeyStep[] {
  const { nodes, nowMs, sinceMs } = ring;
  const fronts = [
    ...new Set(nodes.flatMap(({ makes, ids }) => (makes && ids[0] !== undefined ? [ids[0]] : []))),
  ];
  if (fronts.length === 0) return [{ step: 'unknown' }];
  const all = [...new Set(nodes.flatMap(({ ids }) => ids))];
  const unfinished = all.flatMap((id): KeyStep[] => {
    const acceptedBy = nodes.filter(({ ids }) => ids.includes(id)).length;
    return acceptedBy < nodes.length ? [{ step: 'finish', id, acceptedBy, nodes: nodes.length }] : [];
  });
  if (unfinished.length > 0) return unfinished;
  if (fronts.length > 1) return [{ step: 'finish_front', ids: fronts }];

  const rest = all.filter((id) => !fronts.includes(id));
  if (rest.length === 0) return [{ step: 'append' }];
  return rest.map((id): KeyStep => {
    const usedMs = ring.lastUsedMs(id);
    const untilMs = (usedMs ?? sinceMs) + reportMs + lifetimeMs;
    if (usedMs === undefined) return { step: 'front', id, dropFromMs: untilMs };
    return untilMs <= nowMs ? { step: 'drop', id } : { step: 'wait', id, untilMs };
  });
}

/** The ids of this node's keys, as it reports them. */
export function runningKeys(rings: {
  readonly accessSecrets: KeyRing;
  readonly refreshSecrets: KeyRing;
  readonly encryptionKeys: KeyRing;
  readonly challengeSecrets: KeyRing;
}): { readonly makes: true; readonly ids: Record<KeyVariable, string[]> } {
  const idsOf = (ring: KeyRing) => ring.all.map(({ id }) => id);
  return {
    makes: true,
    ids: {
      ACCESS_SECRET: idsOf(rings.accessSecrets),
      REFRESH_SECRET: idsOf(rings.refreshSecrets),
      ENCRYPTION_KEY: idsOf(rings.encryptionKeys),
      CHALLENGE_SECRET: idsOf(rings.challengeSecrets),
    },
  };
}
