// Judges a history without thieves: was its owner logged out for nothing, and what had happened to its answers.

import type { SessionRules } from '@tollgate/session-service/domain/session-record.js';
import type { RefreshEntry, Trace } from './trace.js';

const DAY_MS = 86_400_000;

/** The owner's refresh that was refused although nobody else held a token. */
export function falseLogOut(trace: Trace): RefreshEntry | undefined {
  return ownerRefreshes(trace).find(({ generation }) => generation === undefined);
}

/** Refreshes that are decided within the window of the first of them. */
type Together = readonly RefreshEntry[];

/**
 * "Its tabs refresh within the window": refreshes that are under way at one time are decided within one window, so
 * none is under way while the next generation is made.
 */
export function tabsShareWindows(trace: Trace, windowMs: number): boolean {
  const groups = byWindow(trace, windowMs);
  return groups.every((group, place) => {
    const endMs = Math.max(...groups.slice(0, place).flatMap((earlier) => earlier.map(endOf)));
    return group.every(({ sentAtMs }) => sentAtMs > endMs);
  });
}

/** The most answers lost in any 24 hours. */
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
 * The most generations in any 24 hours of which every answer was lost, each counted at the refresh that makes the
 * loss good: the store cannot know of it earlier.
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

/** When a lost generation was first asked for again, and when for the last time; milliseconds since the login. */
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
    // Answers to the same generation that are lost again and again are one loss.
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
