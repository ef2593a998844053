// Decides which step of a key rotation is safe now: append, move to the front, drop.

/** The variables whose elements can be rotated one by one. */
export const keyVariables = [
  'ACCESS_SECRET',
  'ACCESS_SIGNING_KEYS',
  'REFRESH_SECRET',
  'ENCRYPTION_KEY',
  'CHALLENGE_SECRET',
] as const;
export type KeyVariable = (typeof keyVariables)[number];

/** The longest lifetimes of the keys' products, in seconds. Nodes report them by these names. */
export interface KeyLifetimes {
  /** Access tokens: `ACCESS_TTL`. */
  readonly access: number;
  /** Refresh tokens: `REFRESH_TTL`. */
  readonly refresh: number;
  /** Values with a key id of `CHALLENGE_SECRET`: challenges of every type, scope tickets. */
  readonly challenge: number;
  /** How long failures are remembered: `CAPTCHA_ESCALATION_DECAY`. */
  readonly decay: number;
}

/** The reports of the nodes on one variable (shared/keys/key-record.ts). */
export interface ReportedRing {
  readonly nowMs: number;
  /** When the record of reports was created. */
  readonly sinceMs: number;
  /**
   * The key ids of each node with the variable, and since when it has had them. Nodes that create tokens use the first one.
   */
  readonly nodes: readonly {
    readonly makes: boolean;
    readonly ids: readonly string[];
    readonly beganMs?: number | undefined;
  }[];
  /** Whether nodes of the session service run, which may accept the keys and create nothing with them. */
  readonly isServed?: boolean;
  /** Time of a node's last report that it uses a key. */
  lastUsedMs(id: string): number | undefined;
}

/** The safe step, or its precondition. */
export type KeyStep =
  | { readonly step: 'unknown' }
  /** Some nodes do not accept the key yet, or no longer: complete this rollout first. */
  | { readonly step: 'finish'; readonly id: string; readonly acceptedBy: number; readonly nodes: number }
  /** All nodes accept the keys, but not all use the same one. */
  | { readonly step: 'finish_front'; readonly ids: readonly string[] }
  /** No node has used the key, so it is new; an unused old key may be dropped from `dropFromMs` on. */
  | { readonly step: 'front'; readonly id: string; readonly dropFromMs: number }
  /** The key is published, and caches may not have it yet. */
  | { readonly step: 'publish'; readonly id: string; readonly untilMs: number }
  /** All nodes accept the key, and create tokens of the other format. */
  | { readonly step: 'use'; readonly id: string }
  | { readonly step: 'wait'; readonly id: string; readonly untilMs: number }
  | { readonly step: 'drop'; readonly id: string }
  | { readonly step: 'append' };

/**
 * The steps for one variable: one per key that is not in use, otherwise a single one.
 *
 * @param lifetimeMs longest lifetime of the key's products, in milliseconds
 * @param reportMs interval of a node's reports, in milliseconds; its use of keys since the last one is unknown
 * @param publishMs how long external caches may lack a published key, in milliseconds; 0 if keys are not published
 */
export function keySteps(ring: ReportedRing, lifetimeMs: number, reportMs: number, publishMs = 0): KeyStep[] {
  const { nodes, nowMs, sinceMs } = ring;
  const fronts = [
    ...new Set(nodes.flatMap(({ makes, ids }) => (makes && ids[0] !== undefined ? [ids[0]] : []))),
  ];
  if (fronts.length === 0 && ring.isServed !== true) return [{ step: 'unknown' }];
  const all = [...new Set(nodes.flatMap(({ ids }) => ids))];
  const unfinished = all.flatMap((id): KeyStep[] => {
    const acceptedBy = nodes.filter(({ ids }) => ids.includes(id)).length;
    return acceptedBy < nodes.length ? [{ step: 'finish', id, acceptedBy, nodes: nodes.length }] : [];
  });
  if (unfinished.length > 0) return unfinished;
  if (fronts.length > 1) return [{ step: 'finish_front', ids: fronts }];

  const rest = all.filter((id) => !fronts.includes(id));
  if (rest.length === 0) return [{ step: 'append' }];
  const publishedMs = Math.max(0, ...nodes.map(({ beganMs = 0 }) => beganMs)) + publishMs;
  return rest.map((id): KeyStep => {
    const usedMs = ring.lastUsedMs(id);
    const untilMs = (usedMs ?? sinceMs) + reportMs + lifetimeMs;
    if (usedMs === undefined && publishMs > 0 && nowMs < publishedMs) {
      return { step: 'publish', id, untilMs: publishedMs };
    }
    if (usedMs === undefined) {
      return fronts.length === 0 ? { step: 'use', id } : { step: 'front', id, dropFromMs: untilMs };
    }
    return untilMs <= nowMs ? { step: 'drop', id } : { step: 'wait', id, untilMs };
  });
}

/** The keys of one variable. */
interface Keys {
  readonly all: readonly { readonly id: string }[];
}

/** The keys of a node. Access tokens are created with those of one format; those of the other, if any, are only accepted. */
export interface NodeRings {
  readonly accessSecrets?: Keys | undefined;
  readonly signingKeys?: Keys | undefined;
  readonly refreshSecrets: Keys;
  readonly encryptionKeys: Keys;
  readonly challengeSecrets: Keys;
  /** The format of new access tokens; `sealed` by default. */
  readonly format?: 'sealed' | 'public';
}

type KeyIds = Partial<Record<KeyVariable, string[]>>;

/** The ids of the keys that this node creates tokens with, as it reports them. */
export function runningKeys(rings: NodeRings): { readonly makes: true; readonly ids: KeyIds } {
  const { accessSecrets, signingKeys, format = 'sealed' } = rings;
  return {
    makes: true,
    ids: {
      ...(format === 'sealed'
        ? idsOf('ACCESS_SECRET', accessSecrets)
        : idsOf('ACCESS_SIGNING_KEYS', signingKeys)),
      ...idsOf('REFRESH_SECRET', rings.refreshSecrets),
      ...idsOf('ENCRYPTION_KEY', rings.encryptionKeys),
      ...idsOf('CHALLENGE_SECRET', rings.challengeSecrets),
    },
  };
}

/** The ids of the keys that this node only accepts, as it reports them besides the others. */
export function acceptedKeys({ accessSecrets, signingKeys, format = 'sealed' }: NodeRings): {
  readonly makes: false;
  readonly ids: KeyIds;
} {
  const ids =
    format === 'sealed' ? idsOf('ACCESS_SIGNING_KEYS', signingKeys) : idsOf('ACCESS_SECRET', accessSecrets);
  return { makes: false, ids };
}

function idsOf(variable: KeyVariable, keys: Keys | undefined): KeyIds {
  return keys === undefined ? {} : { [variable]: keys.all.map(({ id }) => id) };
}
