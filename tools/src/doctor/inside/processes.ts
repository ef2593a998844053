// Checks that all processes of both services have the same secrets, TRUST_PROXY and synchronized clocks.

import { setTimeout as pause } from 'node:timers/promises';
import {
  isChallengeService,
  openKeyRecord,
  SEEN_EVERY_MS,
  type SeenProcess,
  type Store,
} from '@tollgate/shared/store';
import { type Finding, good, problem } from '../report.js';

/** Report of a running process. */
export interface ServiceProcess {
  readonly service: 'session-service' | 'challenge-service';
  /** Its location, for people. */
  readonly place: string;
  /** The key ids of each variable, in order. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  readonly hasTrustProxy: boolean;
  /** Its clock minus that of its store. */
  readonly aheadMs: number;
}

/** The processes, and the doctor's environment. */
export interface ProcessFacts {
  readonly processes: readonly ServiceProcess[];
  /** Key ids of the environment by variable; they determine which of two lists is reported. */
  readonly ownIds: Readonly<Record<string, readonly string[]>>;
  /** Whether `TRUST_PROXY` of the environment is set; if not, another check reports that. */
  readonly hasTrustProxy: boolean;
}

const LOOK_EVERY_MS = 250;

/** Time for a due report to arrive. */
const LATE_MS = 2000;

/** The two seconds at which a node logs a warning, and one for latency. */
const APART_MS = 3000;

/**
 * Reads the processes with a report in the last two intervals. If these differ, waits for a new report of each: one may have
 * been killed.
 */
export async function probeProcesses(
  stores: readonly Store[],
  own: Pick<ProcessFacts, 'ownIds' | 'hasTrustProxy'>,
): Promise<ProcessFacts> {
  const read = async (store: Store) => {
    const { nowMs, nodes } = await openKeyRecord(store).read();
    const processes = nodes.flatMap(({ seen, ...keys }) =>
      seen === undefined ? [] : [{ atMs: seen.atMs, process: toProcess(keys, seen) }],
    );
    const since = (sinceMs: number) =>
      processes.filter(({ atMs }) => atMs > sinceMs).map(({ process }) => process);
    return { nowMs, since };
  };
  const first = await Promise.all(stores.map(read));
  const seen = first.flatMap(({ nowMs, since }) => since(nowMs - 2 * SEEN_EVERY_MS));
  const facts = { ...own, processes: seen };
  if (diagnoseProcesses(facts).every(({ severity }) => severity === 'good')) return facts;

  const deadlineMs = performance.now() + SEEN_EVERY_MS + LATE_MS;
  while (true) {
    await pause(LOOK_EVERY_MS);
    const next = await Promise.all(stores.map(read));
    const again = next.flatMap(({ since }, at) => since(first[at]?.nowMs ?? 0));
    if (again.length >= seen.length || performance.now() > deadlineMs) return { ...own, processes: again };
  }
}

function toProcess(
  keys: { readonly makes: boolean; readonly ids: ServiceProcess['ids'] },
  { atMs, clockMs, hasTrustProxy, place }: SeenProcess,
): ServiceProcess {
  return {
    service: isChallengeService(keys) ? 'challenge-service' : 'session-service',
    place,
    ids: keys.ids,
    hasTrustProxy,
    aheadMs: clockMs - atMs,
  };
}

/** Requests reach any process, so a process that differs fails some of them. */
export function diagnoseProcesses({ processes, ownIds, hasTrustProxy }: ProcessFacts): Finding[] {
  const found = diagnoseSecrets(processes, ownIds);
  const untrusting = processes.filter((each) => !each.hasTrustProxy);
  if (hasTrustProxy && untrusting.length > 0) {
    found.push(
      problem(
        'process_trust_proxy_unset',
        `${counted(untrusting, processes)} no TRUST_PROXY, although a gateway is in front: all their clients count as one address.`,
        'Set TRUST_PROXY to the gateway address in every process of both services.',
      ),
    );
  }
  for (const { service, place, aheadMs } of processes) {
    if (Math.abs(aheadMs) <= APART_MS) continue;
    found.push(
      problem(
        'process_clock',
        `The clock of ${service} on ${place} is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of its store.`,
        'Synchronize all machines by NTP: tokens are issued and verified by different clocks.',
      ),
    );
  }
  if (found.length > 0 || processes.length === 0) return found;
  return [
    good(
      'processes',
      `${processes.length} ${processes.length === 1 ? 'process reports' : 'processes report'} the same secrets and synchronized clocks.`,
    ),
  ];
}

function diagnoseSecrets(processes: readonly ServiceProcess[], ownIds: ProcessFacts['ownIds']): Finding[] {
  const variables = [...new Set(processes.flatMap(({ ids }) => Object.keys(ids)))];
  return variables.flatMap((variable) => {
    const all = processes.filter(({ ids }) => ids[variable] !== undefined);
    const usual = usualIds(all, variable, ownIds[variable]);
    const others = all.filter(({ ids }) => !accept(ids[variable], usual));
    if (others.length === 0) return [];
    return [
      problem(
        'process_secret_differs',
        `${counted(others, all)} a different ${variable}: processes reject each other's tokens.`,
        `Set the same ${variable} for every process, and restart those that differ.`,
      ),
    ];
  });
}

/** The list that most processes accept; if equal, that of the environment. */
function usualIds(
  processes: readonly ServiceProcess[],
  variable: string,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  const lists = processes.map(({ ids }) => ids[variable]);
  const supporters = (list: readonly string[] | undefined) =>
    lists.filter((other) => accept(other, list)).length;
  return [own, ...lists].reduce((best, list) => (supporters(list) > supporters(best) ? list : best));
}

/** Whether each accepts tokens of the other's first key. During a key rotation, lists may differ otherwise. */
function accept(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.includes(other[0] ?? '') && other.includes(one[0] ?? '');
}

/** `1 of 2 processes (session-service on …) has` */
function counted(some: readonly ServiceProcess[], all: readonly ServiceProcess[]): string {
  const names = some.map(({ service, place }) => `${service} on ${place}`).join('; ');
  return `${some.length} of ${all.length} processes (${names}) ${some.length === 1 ? 'has' : 'have'}`;
}
