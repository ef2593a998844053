// The metrics of the session service.

import type { AuditCounters, AuditTrail } from '@tollgate/shared/audit';
import type { ChallengeObserver } from '@tollgate/shared/challenges';
import {
  createAuditCounters,
  createChallengeObservers,
  createMetrics,
  createRequestObservers,
  createStoreObservers,
  type Metrics,
  type RequestObserver,
} from '@tollgate/shared/http';
import type { RevocationFollower } from '@tollgate/shared/sessions';
import { type QueueMeter, type StoreObserver, secondsSince } from '@tollgate/shared/store';
import { BOUND_KINDS, type BoundKind } from '../domain/binding/binding-rule.js';
import type { GrantedOutcome, RefusedOutcome } from '../domain/rotation.js';
import { HashingOverloadedError, type HashingQueue } from '../passwords/sign-in.js';
import type { Revoker } from '../stores/revoker.js';
import type { DeviceOutcome } from './known-device.js';

/** Read at each scrape. */
interface MeasuredDependencies {
  readonly revocations: Pick<RevocationFollower, 'lagSeconds' | 'size'>;
  readonly revoker: Pick<Revoker, 'waiting'>;
  readonly hashing: { readonly load: { readonly running: number; readonly waiting: number } };
}

/**
 * The outcome of a refresh; with `missing`, `invalid` and `conflict` there was no usable cookie, with `stale_proof` the
 * client got a new nonce.
 */
export type RefreshOutcome =
  | GrantedOutcome
  | RefusedOutcome
  | ('missing' | 'invalid' | 'conflict' | 'stale_proof');

/** The outcome of a sign-in code. */
export type SignInCodeOutcome = 'created' | 'exchanged' | 'refused';

/** The metrics and the functions that update them. */
export interface SessionMetrics extends BindingCounters {
  readonly registry: Metrics;
  readonly audit: AuditCounters;
  countRefresh(outcome: RefreshOutcome): void;
  countDevice(outcome: DeviceOutcome): void;
  countOtherAccount(): void;
  countSignInCode(outcome: SignInCodeOutcome): void;
  /** @param keyId id of the key in `ENCRYPTION_KEY` */
  countToken(kind: 'access' | 'refresh' | 'page', keyId: string): void;
  requests(listener: 'public' | 'admin'): RequestObserver;
  store(name: 'sessions' | 'challenges'): StoreObserver;
  /** Observes the submissions to the login, and writes them to the audit stream. */
  challenges(application: string, trail: AuditTrail): ChallengeObserver;
  /** Wraps the queue so that it is measured, also for the load of this process. */
  measured(queue: HashingQueue, load: Pick<QueueMeter, 'measure'>): HashingQueue;
}

/** Results of logins, by their audit event. */
const RESULTS = { login: 'success', login_failed: 'failed', login_throttled: 'throttled' } as const;
const OUTCOMES: readonly RefreshOutcome[] = [
  ...(['rotated', 'current', 'recovered', 'rolled_forward', 'revoked', 'expired', 'reuse'] as const),
  ...(['missing', 'invalid', 'conflict', 'binding_required', 'binding_failed', 'stale_proof'] as const),
];
const isOverloaded = (error: unknown) => error instanceof HashingOverloadedError;
const HASHING_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** @param options.process whether to include metrics of the process, such as memory and event loop */
export function createSessionMetrics(
  deps: MeasuredDependencies,
  options: { process: boolean },
): SessionMetrics {
  const metrics = createMetrics(options);
  const audit = createAuditCounters(metrics, 'session-service');
  const observers = createChallengeObservers(metrics);
  const logIn = metrics.counter('tollgate_logins_total', 'Logins by result', ['result'], {
    result: [...Object.values(RESULTS), 'challenge_refused'],
  });
  const refresh = metrics.counter('tollgate_refreshes_total', 'Refreshes by outcome', ['outcome'], {
    outcome: OUTCOMES,
  });
  const device = metrics.counter(
    'tollgate_device_cookies_total',
    "Logins with their account's device cookie, by how it was counted",
    ['outcome'],
    { outcome: ['known', 'spent', 'void'] satisfies DeviceOutcome[] },
  );
  const signInCode = metrics.counter(
    'tollgate_sign_in_codes_total',
    'Sign-in codes by outcome',
    ['outcome'],
    { outcome: ['created', 'exchanged', 'refused'] },
  );
  const otherAccount = metrics.counter(
    'tollgate_directory_other_accounts_total',
    'Users that the directory returned for another account key, treated as unknown',
  );
  const token = metrics.counter('tollgate_tokens_made_total', 'Tokens made, by key', ['kind', 'key']);
  metrics.gauge(
    'tollgate_revocation_lag_seconds',
    'Seconds since this node lost the revocation log; 0 while it follows it',
    () => deps.revocations.lagSeconds(),
  );
  metrics.gauge(
    'tollgate_revoked_sessions',
    'Ended sessions that this node rejects from memory',
    () => deps.revocations.size,
  );
  metrics.gauge(
    'tollgate_revocations_waiting',
    'Ended sessions that this node has not yet published to the others',
    () => deps.revoker.waiting,
  );
  metrics.gauge(
    'tollgate_password_checks',
    'Passwords being checked, and passwords in the queue',
    () => ({ ...deps.hashing.load }),
    'state',
  );
  const hashingSeconds = metrics.histogram(
    'tollgate_password_check_duration_seconds',
    'Time to check a password, including the wait in the queue',
    [],
    HASHING_BUCKETS_SECONDS,
  )({});
  const hashingRefused = metrics.counter(
    'tollgate_password_checks_refused_total',
    'Passwords not checked because the queue was full',
  );
  return {
    registry: metrics,
    audit: {
      ...audit,
      countEvent(event) {
        audit.countEvent(event);
        const result = event in RESULTS ? RESULTS[event as keyof typeof RESULTS] : undefined;
        if (result !== undefined) logIn({ result });
      },
    },
    countRefresh: (outcome) => refresh({ outcome }),
    ...createBindingCounters(metrics),
    countDevice: (outcome) => device({ outcome }),
    countOtherAccount: () => otherAccount(),
    countSignInCode: (outcome) => signInCode({ outcome }),
    countToken: (kind, key) => token({ kind, key }),
    requests: createRequestObservers(metrics),
    store: createStoreObservers(metrics, ['sessions', 'challenges']),
    challenges(application, trail) {
      const observer = observers(application, trail);
      const result = { result: 'challenge_refused' } as const;
      return {
        ...observer,
        refused(verdict, submission) {
          logIn(result);
          observer.refused(verdict, submission);
        },
      };
    },
    measured: (queue, load) => ({
      async run(work) {
        const startedMs = performance.now();
        try {
          return await load.measure(() => queue.run(work), isOverloaded);
        } catch (error) {
          if (isOverloaded(error)) hashingRefused();
          throw error;
        } finally {
          hashingSeconds(secondsSince(startedMs));
        }
      },
      get load() {
        return queue.load;
      },
      get isFull() {
        return queue.isFull;
      },
    }),
  };
}

/**
 * The outcome of a renewal: the browser was `challenged`, has `renewed` its cookie, was told that its session is `over`, or
 * had `failed` by a wrong signature.
 */
type RenewalOutcome = 'challenged' | 'renewed' | 'over' | 'failed';

/** The counters of device binding. */
interface BindingCounters {
  /** Counts a session that was bound to a key, by method. */
  countBinding(kind: BoundKind): void;
  /** Counts a renewal by its outcome. */
  countRenewal(outcome: RenewalOutcome): void;
}

const RENEWALS: readonly RenewalOutcome[] = ['challenged', 'renewed', 'over', 'failed'];

function createBindingCounters(metrics: Metrics): BindingCounters {
  const bound = metrics.counter(
    'tollgate_sessions_bound_total',
    'Sessions bound to a device key: by proofs of the page (key) or by the browser (dbsc)',
    ['kind'],
    { kind: BOUND_KINDS },
  );
  const renewal = metrics.counter(
    'tollgate_renewals_total',
    'Cookie renewals of sessions bound by their browser, by outcome',
    ['outcome'],
    { outcome: RENEWALS },
  );
  return {
    countBinding: (kind) => bound({ kind }),
    countRenewal: (outcome) => renewal({ outcome }),
  };
}
