// Judges a history without thieves: whether its owner was logged out without cause, and which responses were lost.

import type { SessionRules } from '@tollgate/session-service/domain/session-record.js';
import type { RefreshEntry, Trace } from './trace.js';

const DAY_MS = 86_400_000;

/** The owner's refresh that was rejected although nobody else had a token. */
export function falseLogOut(trace: Trace): RefreshEntry | undefined {
  return ownerRefreshes(trace).find(({ generation }) => generation === undefined);
}

/** Refreshes decided within the window of the first of them. */
type Together = readonly RefreshEntry[];

/**
 * "Its tabs refresh within the window": concurrent refreshes are decided within one window, so none is in progress while the
 * next generation is created.
 */
export function tabsShareWindows(trace: Trace, windowMs: number): boolean {
  const groups = byWindow(trace, windowMs);
  return groups.every((group, place) => {
    const endMs = Math.max(...groups.slice(0, place).flatMap((earlier) => earlier.map(endOf)));
    return group.every(({ sentAtMs }) => sentAtMs > endMs);
  });
}

/** The maximum of lost responses in any 24 hours. */
export function lostAnswersInADay(trace: Trace): number {
  const lost = ownerRefreshes(trace).filter(({ storedAtMs }) => storedAtMs === undefined);
  return most(
    lost.map(
      ({ decidedAtMs }, place) =>
        lost.slice(0, place + 1).filter((earlier) => decidedAtMs - earlier.decidedAtMs < DAY_MS).length,
    ),
  );
}

/**
 * The maximum of generations in any 24 hours with every response lost, each counted at the refresh that recovers the loss:
 * the store cannot know of it earlier.
 */
export function lossesMadeGoodInADay(trace: Trace, { windowMs }: Pick<SessionRules, 'windowMs'>): number {
  const losses = lossesOf(byWindow(trace, windowMs));
  return most(
    losses.map(
      ({ firstMs }, place) =>
        1 + losses.slice(0, place).filter((earlier) => firstMs - earlier.lastMs < DAY_MS).length,
    ),
  );
}

/** The first and the last request for a lost generation again; milliseconds since the login. */
interface Loss {
  readonly firstMs: number;
  readonly lastMs: number;
}

function lossesOf(groups: readonly Together[]): Loss[] {
  const losses: Loss[] = [];
  let firstMs: number | undefined;
  for (const [place, group] of groups.entries()) {
    const before = groups[place - 1];
    const beginMs = group[0]?.decidedAtMs ?? 0;
    const afterLoss = before?.every(({ storedAtMs }) => storedAtMs === undefined) ?? false;
    if (!afterLoss) {
      firstMs = undefined;
      continue;
    }
    // Repeatedly lost responses with the same generation are one loss.
    if (firstMs !== undefined) losses.pop();
    firstMs ??= beginMs;
    losses.push({ firstMs, lastMs: beginMs });
  }
  return losses;
}

function byWindow(trace: Trace, windowMs: number): Together[] {
  const groups: RefreshEntry[][] = [];
  for (const refresh of ownerRefreshes(trace)) {
    const current = groups.at(-1);
    const openedMs = current?.[0]?.decidedAtMs ?? Number.NEGATIVE_INFINITY;
    if (current !== undefined && refresh.decidedAtMs - openedMs < windowMs) current.push(refresh);
    else groups.push([refresh]);
  }
  return groups;
}

function ownerRefreshes(trace: Trace): RefreshEntry[] {
  return trace.filter((entry): entry is RefreshEntry => entry.kind === 'refresh' && entry.by === 'owner');
}

function endOf({ decidedAtMs, storedAtMs }: RefreshEntry): number {
  return storedAtMs ?? decidedAtMs;
}

function most(counts: readonly number[]): number {
  return Math.max(0, ...counts);
}
