// Whether the stores keep what they are given, and whether all that meet on them have the same secret.

import type { ChallengeServiceStatus } from '@tollgate/shared/challenges/challenge-service-watch.js';
import { type Finding, good, problem, warning } from '../finding.js';

/** What a Redis says about itself. */
export interface RedisFacts {
  /** Its variable: `STORE_URL`. */
  readonly variable: string;
  /** Differs between any two running servers. */
  readonly runId: string;
  /** Such as `7.2.4`. */
  readonly version: string;
  /** `maxmemory-policy`; undefined where the server does not tell. */
  readonly policy: string | undefined;
  /** Whether it keeps an append-only file. */
  readonly appends: boolean;
  /** The store's clock less this machine's, in milliseconds. */
  readonly offsetMs: number;
}

export interface StoreFacts {
  /** The Redis servers, that of the sessions first. */
  readonly servers: readonly RedisFacts[];
  /** Variables whose store did not answer. */
  readonly away: readonly string[];
  /** Whether sessions and challenges are in different stores by their addresses. */
  readonly areTwo: boolean;
  /** Who has reported on the store of the challenges; undefined when it does not answer. */
  readonly challenges?: ChallengeNodes | undefined;
}

/** The nodes on the store of the challenges, compared with the `CHALLENGE_SECRET` of the environment. */
export interface ChallengeNodes {
  /** The variable of that store. */
  readonly variable: string;
  readonly service: ChallengeServiceStatus;
  /** Applications with the guard that do not accept the first element. */
  readonly strangers: number;
}

const OLDEST_VERSION = [6, 2] as const;
const OFFSET_MS = 2000;

/**
 * Version, eviction, persistence, clocks, one secret for all, and that a flood of challenges cannot fill the sessions'
 * memory.
 */
export function diagnoseStores({ servers, away, areTwo, challenges: nodes }: StoreFacts): Finding[] {
  const found = away.map((variable) =>
    problem(
      'store_away',
      `The store of ${variable} does not answer from here.`,
      'Start it, or mend its address.',
    ),
  );
  for (const server of servers) found.push(...diagnoseServer(server));
  if (nodes !== undefined) found.push(...diagnoseChallengeNodes(nodes));
  const [sessions, challenges] = servers;
  const isOne = !areTwo || (challenges !== undefined && sessions?.runId === challenges.runId);
  if (servers.length > 0 && isOne) {
    found.push(
      warning(
        'one_store',
        'Sessions and challenges are on one Redis: a flood of challenges can fill the memory of the sessions.',
        'Give the challenges an instance of their own: CAPTCHA_CACHE_STORE.',
      ),
    );
  }
  if (sessions !== undefined && away.length === 0 && !sessions.appends) {
    found.push(
      warning(
        'sessions_not_kept',
        'The Redis of the sessions keeps no append-only file: a restart loses sessions.',
        'Set appendonly yes.',
      ),
    );
  }
  return found.length > 0 ? found : [good('stores', 'The stores answer and keep what they are given.')];
}

function diagnoseChallengeNodes({ variable, service, strangers }: ChallengeNodes): Finding[] {
  const found: Finding[] = [];
  if (service === 'missing') {
    found.push(
      problem(
        'challenge_service_missing',
        `No challenge service has reported on the store of ${variable}: every log-in would be refused.`,
        'Start it, or name the store that it uses: CAPTCHA_CACHE_STORE, else STORE_URL, must be the same for all.',
      ),
    );
  }
  if (service === 'other_secret') {
    found.push(
      problem(
        'challenge_secret_differs',
        `The challenge service on the store of ${variable} has another CHALLENGE_SECRET: every log-in is refused.`,
        'Give both services, and every application with the guard, the same list.',
      ),
    );
  }
  if (strangers > 0) {
    found.push(
      warning(
        'application_secret_differs',
        `${strangers === 1 ? '1 application' : `${strangers} applications`} on the store of ${variable} ${strangers === 1 ? 'has' : 'have'} another CHALLENGE_SECRET: every submission there is refused.`,
        'Give every application with the guard the same list. One that was killed counts for two and a half hours.',
      ),
    );
  }
  return found;
}

function diagnoseServer({ variable, version, policy, offsetMs }: RedisFacts): Finding[] {
  const found: Finding[] = [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1])) {
    found.push(
      problem(
        'redis_old',
        `The Redis of ${variable} is version ${version}, older than ${OLDEST_VERSION.join('.')}.`,
        'Update it: commands that Tollgate needs are missing.',
      ),
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    found.push(
      problem(
        'redis_evicts',
        `The Redis of ${variable} evicts keys when its memory is full (maxmemory-policy ${policy}).`,
        'Set maxmemory-policy noeviction: sessions would end, and spent challenges could be spent again.',
      ),
    );
  }
  if (Math.abs(offsetMs) > OFFSET_MS) {
    found.push(
      problem(
        'store_clock',
        `The clocks of the Redis of ${variable} and of this machine are ${Math.round(Math.abs(offsetMs) / 1000)} s apart.`,
        'Set the time of both machines by NTP.',
      ),
    );
  }
  return found;
}
