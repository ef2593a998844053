// Judges a history with thieves: which of their refreshes must be detected, and whether they were.

import type { RefreshEntry, Trace, UseEntry } from './trace.js';

/**
 * How the theft ended: the thief's first refresh was rejected as reuse and ended the session (`turned_away`), the session
 * ended after the thief had got tokens (`found`), or it continues. Undefined if no thief came in time.
 */
export function firstTheft(trace: Trace): 'turned_away' | 'found' | 'undetected' | undefined {
  const first = trace.find((entry) => entry.kind === 'refresh' && entry.by !== 'owner');
  if (first === undefined || first.kind === 'use' || first.outcome === 'revoked') return undefined;
  if (first.outcome === 'reuse') return 'turned_away';
  return trace.some((entry) => entry.kind === 'refresh' && entry.outcome === 'reuse')
    ? 'found'
    : 'undetected';
}

/**
 * The outcome of a thief's refresh at the owner's next one. `same_token`: the thief got the same generation as the owner
 * from an earlier response, and the owner had not used it; the store takes the two for one browser with a lost response.
 */
type Discovery = 'detected' | 'same_token' | 'undetected';

/**
 * Every refresh of a thief that got tokens outside the window of the owner's rotation, before or after it, and used them
 * before the owner's next refresh. A refresh without a later one of the owner is left out.
 */
export function discoveries(trace: Trace, windowMs: number): Discovery[] {
  return trace.flatMap((entry, place) => {
    if (entry.kind === 'use' || entry.by === 'owner' || entry.generation === undefined) return [];
    const before = trace.slice(0, place);
    const after = trace.slice(place + 1);
    const nextPlace = after.findIndex(isOwners);
    const next = after[nextPlace];
    if (next === undefined || !isOwners(next)) return [];
    const until = after.slice(0, nextPlace + 1);
    const rotation = before.findLast((earlier) => isOwners(earlier) && opensWindow(earlier));
    if (rotation !== undefined && isOwners(rotation)) {
      if (entry.decidedAtMs - rotation.decidedAtMs < windowMs) return [];
    }
    if (next.decidedAtMs - entry.decidedAtMs < windowMs) return [];
    if (!until.some((use) => usesAnswer(use, entry))) return [];
    if (until.some((refresh) => refresh.kind === 'refresh' && refresh.outcome === 'reuse'))
      return ['detected'];
    const held = before.some(
      (earlier) =>
        isOwners(earlier) &&
        earlier.generation === entry.generation &&
        earlier.storedAtMs !== undefined &&
        earlier.storedAtMs <= next.sentAtMs,
    );
    return [held ? 'same_token' : 'undetected'];
  });
}

function isOwners(entry: RefreshEntry | UseEntry): entry is RefreshEntry {
  return entry.kind === 'refresh' && entry.by === 'owner';
}

function opensWindow({ outcome }: RefreshEntry): boolean {
  return outcome === 'rotated' || outcome === 'recovered';
}

function usesAnswer(use: RefreshEntry | UseEntry, { by, generation }: RefreshEntry): boolean {
  return use.kind === 'use' && use.by === by && use.generation === generation;
}
