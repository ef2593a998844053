// The measured operations, each as a supply of requests from different users and addresses.
import { randomInt } from 'node:crypto';
import type { Store } from '@tollgate/shared/store';
import type { ServerProcess } from '../server-process.js';
import { HOST_KEY } from '../site.js';
import { prepareSolvedWork } from '../solved-work.js';
import type { Fleet, FleetNode } from './fleet.js';
import type { Prepared } from './send.js';
import { nextUser, prepareSessions } from './sessions.js';
import { emailOf, PASSWORD } from './users.js';

/** Resources for preparing operations. */
export interface Ground {
  readonly fleet: Fleet;
  /** An application with one guarded route; undefined if no check through the guard is measured. */
  readonly application?: ServerProcess;
  readonly store: Store;
  readonly storeUrl: string;
}

/** One kind of request. */
export interface Operation {
  readonly name: string;
  /** The processes that serve it. */
  readonly servedBy: (ground: Ground) => readonly Pick<FleetNode, 'url' | 'pid'>[];
  /** Requests of a measurement, and concurrent ones. */
  readonly requests: number;
  readonly connections: number;
  /** A text in the body of a successful response, if its status is not conclusive. */
  readonly expected?: string;
  /** Prepares a supply of at least `count` requests; it restarts from the first when it is used up. */
  readonly prepare: (ground: Ground, count: number) => Promise<() => Prepared>;
}

const MANY = { requests: 20_000, connections: 50 };
const CHALLENGES = '/api/captcha';
const JSON_TYPE = { 'content-type': 'application/json' };

/** One of 131,072 addresses of the network reserved for benchmarks (RFC 2544). */
const fromAnywhere = () => ({
  'x-forwarded-for': `198.${randomInt(18, 20)}.${randomInt(256)}.${randomInt(256)}`,
});

const ofSessions = ({ fleet }: Ground) => fleet.sessions;
const ofChallenges = ({ fleet }: Ground) => fleet.challenges;

export const ISSUE_WORK: Operation = {
  ...MANY,
  name: 'issue of work',
  servedBy: ofChallenges,
  prepare: async () => () => ({ method: 'GET', path: `${CHALLENGES}/pow`, headers: fromAnywhere() }),
};

export const REFRESH: Operation = {
  ...MANY,
  name: 'refresh',
  servedBy: ofSessions,
  prepare: async ({ store, fleet }, count) =>
    cycle(await prepareSessions(store, fleet.environment, count), ({ cookie }) => ({
      method: 'POST',
      path: '/refresh',
      headers: { ...fromAnywhere(), cookie },
    })),
};

export const LOG_OUT: Operation = {
  ...MANY,
  name: 'logout',
  servedBy: ofSessions,
  prepare: async ({ store, fleet }, count) =>
    cycle(await prepareSessions(store, fleet.environment, count), ({ accessToken }) => ({
      method: 'POST',
      path: '/logout',
      headers: { ...fromAnywhere(), authorization: `Bearer ${accessToken}` },
    })),
};

/** @param uses how often each token is verified */
function verify(name: string, uses: number): Operation {
  return {
    ...MANY,
    name,
    servedBy: ofSessions,
    prepare: async ({ store, fleet }, count) => {
      const prepared = await prepareSessions(store, fleet.environment, Math.ceil(count / uses));
      return cycle(prepared, ({ accessToken }) => ({
        method: 'GET',
        path: '/verify',
        headers: { ...fromAnywhere(), authorization: `Bearer ${accessToken}` },
      }));
    },
  };
}

const solved = ({ storeUrl, fleet }: Ground, count: number) =>
  prepareSolvedWork(storeUrl, fleet.environment.CHALLENGE_SECRET!, count);

export const LOG_IN = 'login';
/** With an almost free hash: the other costs of many concurrent logins. */
export const LOG_IN_WITHOUT_PASSWORD = 'login, without its password';

function logIn(hash: 'argon2id' | 'cheap'): Pick<Operation, 'servedBy' | 'prepare'> {
  return {
    servedBy: ofSessions,
    prepare: async (ground, count) =>
      cycle(await solved(ground, count), (work) => ({
        method: 'POST',
        path: '/login',
        headers: { ...JSON_TYPE, ...fromAnywhere() },
        body: JSON.stringify({ email: emailOf(nextUser(), hash), password: PASSWORD, ...work }),
      })),
  };
}

/** In the order of the table. */
export const OPERATIONS: readonly Operation[] = [
  ISSUE_WORK,
  {
    ...MANY,
    name: 'issue of an image',
    servedBy: ofChallenges,
    prepare: async () => () => ({ method: 'GET', path: CHALLENGES, headers: fromAnywhere() }),
  },
  {
    name: 'drawing of an image',
    requests: 2_000,
    connections: 8,
    servedBy: ofChallenges,
    prepare: async ({ fleet }, count) => {
      const images = Array.from({ length: count }, async () => {
        const response = await fetch(`${fleet.challenges[0]!.url}${CHALLENGES}`, { headers: fromAnywhere() });
        return ((await response.json()) as { token: string }).token;
      });
      return cycle(await Promise.all(images), (token) => ({
        method: 'GET',
        path: `${CHALLENGES}/${token}.png`,
        headers: fromAnywhere(),
      }));
    },
  },
  { ...logIn('argon2id'), name: LOG_IN, requests: 400, connections: 4 },
  // No more at once than may wait for one password thread.
  { ...logIn('cheap'), name: LOG_IN_WITHOUT_PASSWORD, requests: 5_000, connections: 32 },
  REFRESH,
  verify('verify, first use of a token', 1),
  verify('verify, later use', 200),
  LOG_OUT,
  {
    ...MANY,
    name: 'host verify',
    expected: '"success":true',
    servedBy: ({ fleet }) => fleet.challenges.map(({ adminUrl, pid }) => ({ url: adminUrl, pid })),
    prepare: async (ground, count) =>
      cycle(await solved(ground, count), (work) => ({
        method: 'POST',
        path: '/host/verify',
        headers: { ...JSON_TYPE, authorization: `Bearer ${HOST_KEY}` },
        body: JSON.stringify(work),
      })),
  },
  {
    ...MANY,
    name: 'check through the guard',
    servedBy: ({ application }) => (application === undefined ? [] : [application]),
    prepare: async (ground, count) =>
      cycle(await solved(ground, count), (work) => ({
        method: 'POST',
        path: '/',
        headers: { ...JSON_TYPE, ...fromAnywhere() },
        body: JSON.stringify(work),
      })),
  },
];

function cycle<Item>(items: readonly Item[], requestOf: (item: Item) => Prepared): () => Prepared {
  let next = 0;
  return () => {
    const item = items[next % items.length]!;
    next += 1;
    return requestOf(item);
  };
}
