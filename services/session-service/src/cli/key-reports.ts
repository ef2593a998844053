// Combines the nodes' key reports on one store or two.

import {
  isChallengeService,
  openKeyRecord,
  REPORT_EVERY_MS,
  type ReportedKeys,
  type Store,
} from '@tollgate/shared/store';
import type { KeyVariable, ReportedRing } from '../domain/key-roll-out.js';

/** The reports on the session store and, if it is a separate one, on the challenge store. */
export interface KeyReports {
  readonly sessions: ReportedKeys;
  readonly challenges: ReportedKeys | undefined;
}

/**
 * @param challengeStore undefined if both are the same store
 * @throws StoreUnavailableError if a store does not respond
 */
export async function readKeyReports(store: Store, challengeStore: Store | undefined): Promise<KeyReports> {
  return {
    sessions: await openKeyRecord(store).read(),
    challenges: challengeStore && (await openKeyRecord(challengeStore).read()),
  };
}

/** The reports on one variable; undefined if no node has ever reported. */
export function reportedRing(
  { sessions, challenges }: KeyReports,
  variable: KeyVariable,
): ReportedRing | undefined {
  const both =
    variable === 'CHALLENGE_SECRET' && challenges !== undefined ? [sessions, challenges] : [sessions];
  const { nowMs } = sessions;
  // The two stores have separate clocks.
  const reports = both.flatMap(({ nowMs: thereMs, sinceMs, nodes, lastUsedMs }) =>
    sinceMs === undefined
      ? []
      : [{ aheadMs: nowMs - thereMs, sinceMs: sinceMs + nowMs - thereMs, nodes, lastUsedMs }],
  );
  if (reports.length === 0) return undefined;
  return {
    nowMs,
    sinceMs: Math.max(...reports.map(({ sinceMs }) => sinceMs)),
    nodes: reports.flatMap(({ nodes, aheadMs }) =>
      nodes.flatMap(({ makes, ids, beganMs }) => {
        const list = ids[variable];
        return list === undefined ? [] : [{ makes, ids: list, beganMs: beganMs && beganMs + aheadMs }];
      }),
    ),
    isServed: sessions.nodes.some(({ makes, ids }) => makes && ids.REFRESH_SECRET !== undefined),
    lastUsedMs(id) {
      const usedMs = reports.map(({ lastUsedMs, aheadMs }) => {
        const atMs = lastUsedMs.get(`${variable} ${id}`);
        return atMs === undefined ? undefined : atMs + aheadMs;
      });
      if (usedMs.every((atMs) => atMs === undefined)) return undefined;
      // A store without a report of a key may have lost it or be new: assume a use just before its record began.
      return Math.max(...reports.map(({ sinceMs }, at) => usedMs[at] ?? sinceMs));
    },
  };
}

/** Whether a node of the challenge service has reported. */
export function hasChallengeNode({ sessions, challenges }: KeyReports): boolean {
  return (challenges ?? sessions).nodes.some(isChallengeService);
}

/** The longest reported lifetime of this name that may still apply, in seconds; undefined if none was reported. */
export function reportedLifetime({ sessions, challenges }: KeyReports, name: string): number | undefined {
  const reports = challenges === undefined ? [sessions] : [sessions, challenges];
  const reported = reports.flatMap(({ nowMs, lifetimes }) =>
    lifetimes
      .filter((life) => life.name === name)
      .map(({ seconds, lastMs }) => ({
        seconds,
        isPast: nowMs - lastMs > seconds * 1000 + 2 * REPORT_EVERY_MS,
      })),
  );
  if (reported.length === 0) return undefined;
  const current = reported.filter(({ isPast }) => !isPast);
  return Math.max(...(current.length > 0 ? current : reported).map(({ seconds }) => seconds));
}
