// The metrics of both services: stores, audit stream, submissions to applications.

import type { AuditTrail } from '../../audit/audit-trail.js';
import type { AuditCounters } from '../../audit/open-audit-trail.js';
import type { ChallengeObserver } from '../../challenges/challenge-verifier.js';
import type { FailedVerdict } from '../../challenges/submission.js';
import { ALGORITHMS } from '../../pow/algorithms.js';
import { type AuditLine, auditNamesOf } from '../../schemas/audit-events.js';
import type { StoreObserver } from '../../store/store.js';
import type { StoreWatch } from '../../store/watch/store-watch.js';
import type { Metrics } from './metrics.js';

/** Replaces the name of an unknown pass: no pass has this name. */
const NO_PASS = '-';

const STORE_BUCKETS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
];

/** Adds the metrics of these stores. Returns a function that returns the observer of a store. */
export function createStoreObservers<Name extends 'sessions' | 'challenges'>(
  metrics: Metrics,
  stores: readonly Name[],
): (store: Name) => StoreObserver {
  const bind = metrics.histogram(
    'tollgate_store_operation_duration_seconds',
    'Duration of successful store operations',
    ['store'],
    STORE_BUCKETS_SECONDS,
  );
  const failures = metrics.counter(
    'tollgate_store_failures_total',
    'Store operations that failed or timed out',
    ['store'],
    { store: stores },
  );
  return (store) => {
    const labels = { store };
    return { took: bind(labels), failed: () => failures(labels) };
  };
}

/** Adds the metric of the clocks. @param watches the watch of each store with an address of its own */
export function addClockOffsets(
  metrics: Metrics,
  watches: Readonly<Partial<Record<'sessions' | 'challenges', Pick<StoreWatch, 'clockOffsetMs'>>>>,
): void {
  const measured = () =>
    Object.entries(watches).flatMap(([store, { clockOffsetMs }]) =>
      clockOffsetMs === undefined ? [] : [[store, clockOffsetMs / 1000]],
    );
  metrics.gauge(
    'tollgate_store_clock_offset_seconds',
    "The store's clock minus this process's clock, compared each minute",
    () => Object.fromEntries(measured()),
    'store',
  );
}

/** Adds the metrics of the audit stream. */
export function createAuditCounters(metrics: Metrics, service: AuditLine['service']): AuditCounters {
  const from = { event: auditNamesOf(service) };
  const events = metrics.counter('tollgate_audit_events_total', 'Security events', ['event'], from);
  const suppressed = metrics.counter(
    'tollgate_audit_suppressed_total',
    'Security events that were suppressed, because too many of their kind came within a minute',
    ['event'],
    from,
  );
  const lost = metrics.counter('tollgate_audit_lost_total', 'Audit lines that could not be written');
  return {
    countEvent: (event) => events({ event }),
    countSuppressed: (event) => suppressed({ event }),
    countLost: () => lost(),
  };
}

/** Outcomes of proofs of work. */
export type WorkOutcome = 'issued' | 'verified' | 'refused';

/** Counts a proof of work; an unknown algorithm is not counted. */
export type WorkCounter = (algorithm: string, outcome: WorkOutcome) => void;

/** Adds the metric of proofs of work by algorithm. */
export function createWorkCounter(metrics: Metrics): WorkCounter {
  const count = metrics.counter('tollgate_work_total', 'Proofs of work by algorithm and outcome', [
    'algorithm',
    'outcome',
  ]);
  const labels = (algorithm: string) => ({
    issued: { algorithm, outcome: 'issued' },
    verified: { algorithm, outcome: 'verified' },
    refused: { algorithm, outcome: 'refused' },
  });
  const known = new Map(ALGORITHMS.map((algorithm) => [algorithm, labels(algorithm)]));
  return (algorithm, outcome) => {
    const found = known.get(algorithm);
    if (found !== undefined) count(found[outcome]);
  };
}

/**
 * Adds the metrics of submissions. Returns a function that returns the observer of the submissions to an application; it
 * also writes rejections that look like an attack to the audit stream.
 */
export function createChallengeObservers(
  metrics: Metrics,
  countWork: WorkCounter = createWorkCounter(metrics),
): (application: string, trail: AuditTrail) => ChallengeObserver {
  const solved = metrics.counter('tollgate_challenges_solved_total', 'Challenges of accepted submissions', [
    'application',
    'challenge',
  ]);
  const refused = metrics.counter('tollgate_challenges_refused_total', 'Rejected submissions', [
    'application',
    'code',
    'reason',
  ]);
  const presented = metrics.counter('tollgate_passes_presented_total', 'Passes presented in place of work', [
    'application',
    'pass',
    'outcome',
  ]);
  return (application, trail) => {
    const [work, image] = [
      { application, challenge: 'pow' },
      { application, challenge: 'image' },
    ];
    return {
      presented(pass, { account, address }) {
        const { name, outcome } = pass.ok
          ? { name: pass.name, outcome: 'passed' }
          : { name: pass.pass ?? NO_PASS, outcome: pass.outcome };
        presented({ application, pass: name, outcome });
        const client = {
          ...(account === undefined ? {} : { account }),
          ...(address === undefined ? {} : { address }),
        };
        if (pass.ok) trail.write({ event: 'pass_used', application, pass: name, ...client });
        else {
          const named = pass.pass === undefined ? {} : { pass: pass.pass };
          trail.write({ event: 'pass_refused', application, ...named, reason: pass.outcome, ...client });
        }
      },
      solved(given) {
        if (given.work !== null) {
          solved(work);
          countWork(given.work.algorithm, 'verified');
        }
        if (given.image) solved(image);
      },
      refused(verdict, { account, address, isReplay }) {
        const { code, algorithm } = verdict;
        refused({ application, code, reason: refusalReason(verdict, isReplay) });
        if (algorithm !== undefined) countWork(algorithm, 'refused');
        const suspicious = suspiciousRefusal(verdict, isReplay);
        if (suspicious === null) return;
        trail.write({
          event: 'challenge_refused',
          application,
          ...suspicious,
          ...(account === undefined ? {} : { account }),
          ...(address === undefined ? {} : { address }),
        });
      },
    };
  };
}

/** Returns why a submission was rejected: a consumed challenge has no other reason. */
export function refusalReason({ reason }: FailedVerdict, isReplay: boolean) {
  return isReplay ? ('spent' as const) : reason;
}

/**
 * Returns code and reason of a rejection that looks like an attack; null for incomplete forms and for work that has become
 * insufficient, which are ordinary.
 */
export function suspiciousRefusal(verdict: FailedVerdict, isReplay: boolean) {
  const { code } = verdict;
  const reason = refusalReason(verdict, isReplay);
  if (code !== 'pow_invalid' && code !== 'captcha_invalid') return null;
  if (reason === 'malformed' || reason === 'missing' || reason === 'insufficient') return null;
  return reason === 'other_preset' ? null : { code, reason };
}
