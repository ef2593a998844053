// Brings together what nodes have reported of their keys on one store or on two.

import { isChallengeService } from '@tollgate/shared/challenges/challenge-service-watch.js';
import { openKeyRecord, REPORT_EVERY_MS, type ReportedKeys } from '@tollgate/shared/keys/key-record.js';
import type { Store } from '@tollgate/shared/store/open-store.js';
import type { KeyVariable, ReportedRing } from '../domain/key-roll-out.js';

/** The reports on the store of the sessions and, when it is another one, on that of the challenges. */
export interface KeyReports {
  readonly sessions: ReportedKeys;
  readonly challenges: ReportedKeys | undefined;
}

/**
 * @param challengeStore undefined when both are one
 * @throws StoreUnavailableError when a store does not answer
 */
export async function readKeyReports(store: Store, challengeStore: Store | undefined): Promise<KeyReports> {
  return {
    sessions: await openKeyRecord(store).read(),
    challenges: challengeStore && (await openKeyRecord(challengeStore).read()),
  };
}

/** What is known of one variable; undefined when nobody has ever reported. */
export function reportedRing(
  { sessions, challenges }: KeyReports,
  variable: KeyVariable,
): ReportedRing | undefined {
  const both =
    variable === 'CHALLENGE_SECRET' && challenges !== undefined ? [sessions, challenges] : [sessions];
  const { nowMs } = sessions;
  // The two stores have clocks of their own.
  const reports = both.flatMap(({ nowMs: thereMs, sinceMs, nodes, lastUsedMs }) =>
    sinceMs === undefined
      ? []
      : [{ aheadMs: nowMs - thereMs, sinceMs: sinceMs + nowMs - thereMs, nodes, lastUsedMs }],
  );
  if (reports.length === 0) return undefined;
  return {
    nowMs,
    sinceMs: Math.max(...reports.map(({ sinceMs }) => sinceMs)),
    nodes: reports.flatMap(({ nodes }) =>
      nodes.flatMap(({ makes, ids }) => {
        const list = ids[variable];
        return list === undefined ? [] : [{ makes, ids: list }];
      }),
    ),
    lastUsedMs(id) {
      const usedMs = reports.map(({ lastUsedMs, aheadMs }) => {
        const atMs = lastUsedMs.get(`${variable} ${id}`);
        return atMs === undefined ? undefined : atMs + aheadMs;
      });
      if (usedMs.every((atMs) => atMs === undefined)) return undefined;
      // A record that does not know a key in use may have begun after that use: it was lost, or its store is new.
      return Math.max(...reports.map(({ sinceMs }, at) => usedMs[at] ?? sinceMs));
    },
  };
}

/** Whether a node of the challenge service has reported. */
export function hasChallengeNode({ sessions, challenges }: KeyReports): boolean {
  return (challenges ?? sessions).nodes.some(isChallengeService);
}

/** The longest life of this name that nodes have reported and that something may still have, in seconds. */
export function reportedLife({ sessions, challenges }: KeyReports, name: string): number | undefined {
  const reports = challenges === undefined ? [sessions] : [sessions, challenges];
  const reported = reports.flatMap(({ nowMs, lifetimes }) =>
    lifetimes
      .filter((life) => life.name === name)
      .map(({ seconds, lastMs }) => ({
        seconds,
        isOver: nowMs - lastMs > seconds * 1000 + 2 * REPORT_EVERY_MS,
      })),
  );
  if (reported.length === 0) return undefined;
  const lasting = reported.filter(({ isOver }) => !isOver);
  return Math.max(...(lasting.length > 0 ? lasting : reported).map(({ seconds }) => seconds));
}
