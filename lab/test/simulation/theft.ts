// Judges a history with thieves: which of their refreshes must be found out, and whether they were.

import type { RefreshEntry, Trace, UseEntry } from './trace.js';

/**
 * How the theft ended: the thief's first refresh was refused as reuse and ended the session (`turned_away`), the
 * session ended after the thief had got tokens (`found`), or it lives on. Undefined when no thief came in time.
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
 * What became of a thief's refresh at the owner's next one. `same_token`: the thief was answered with the very
 * generation that an earlier answer had brought to the owner, who had not used it; the store takes the two for one
 * browser whose answer was lost.
 */
export type Discovery = 'detected' | 'same_token' | 'undetected';

/**
 * Every refresh of a thief that got tokens outside the window of the owner's rotation, before or after it, which it
 * used before the owner's next refresh. One after which the owner does not come again is left out.
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
