// A session service node inside the test process: both applications on the test's stores.

import { join } from 'node:path';
import { openKeyRing } from '@tollgate/shared/crypto';
import { createLogger } from '@tollgate/shared/http';
import type { RevocationFollower, RevocationLog } from '@tollgate/shared/sessions';
import type { Store } from '@tollgate/shared/store';
import { trailTo } from '@tollgate/test-support/audit.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { buildSessionAdmin } from '../../src/admin.js';
import { buildApp, type SessionDependencies } from '../../src/app.js';
import { readSessionConfig, type SessionConfig } from '../../src/config.js';
import { type AccountDirectory, type Directory, withAccounts } from '../../src/directory/directory.js';
import { type EmbeddedDirectory, openEmbeddedDirectory } from '../../src/directory/embedded-directory.js';
import { createHashingQueue, type SignIn } from '../../src/passwords/sign-in.js';
import { createSessionMetrics } from '../../src/plugins/session-metrics.js';
import { openStoreDependencies } from '../../src/store-dependencies.js';
import type { SessionStore } from '../../src/stores/session-store.js';
import { openTokenKeys } from '../../src/token-setup.js';

export const PUBLIC_URL = 'https://example.com';
export const PASSWORD = 'a long enough password';
export const API_KEY = 'the-key-of-the-other-services-0123456789';
export const SECRETS = {
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
};

/** The prefix of this node's hashes; the password follows. */
const HASHED = 'hash of ';

type Environment = Readonly<Record<string, string>>;

/** A node, and its parts for inspection. */
export interface SessionNode {
  readonly app: FastifyInstance;
  readonly admin: FastifyInstance;
  readonly sessions: SessionStore;
  readonly revocations: RevocationFollower;
  readonly config: SessionConfig;
  close(): Promise<void>;
}

/** A client's tokens. */
export interface Held {
  readonly accessToken: string;
  /** The Cookie header. */
  readonly cookie: string;
}

/** A directory with these users, whose password is `PASSWORD`; the first has id 1. */
export async function userDirectory(t: Test, ...emails: string[]): Promise<EmbeddedDirectory> {
  const directory = openEmbeddedDirectory(join(tempDir(t), 'users.db'));
  t.teardown(() => directory.close());
  for (const email of emails) await directory.add(email, 'not looked at');
  return directory;
}

/** A directory whose next lookup, after it has found its user, waits once for the action of `interrupt`. */
export function interruptible(users: Directory): {
  directory: Directory;
  interrupt: (action: Action) => void;
} {
  let next: Action | undefined;
  const interrupted = async <Found>(found: Found): Promise<Found> => {
    const action = next;
    next = undefined;
    await action?.();
    return found;
  };
  return {
    directory: {
      ...users,
      findByEmail: async (email) => interrupted(await users.findByEmail(email)),
      findById: async (id) => interrupted(await users.findById(id)),
    },
    interrupt(action) {
      next = action;
    },
  };
}

type Action = () => Promise<unknown>;

/**
 * Builds a node. It follows the revocation log when the promise resolves, unless `log` prevents that.
 * @param options.log the revocation log, if not the store's own
 */
export async function startNode(
  t: Test,
  options: {
    readonly store: Store;
    readonly directory: Directory;
    readonly env?: Environment;
    readonly log?: RevocationLog;
    readonly waits?: boolean;
    /** Receives each log line of the node. */
    readonly onLine?: (line: string) => void;
    /** Checks passwords; by default without hashing, which would take most of the tests' time. */
    readonly signIn?: SignIn;
    /** The node's own time, where the store's is ahead of the machine's. */
    readonly clock?: () => number;
  },
): Promise<SessionNode> {
  const { store, directory, env = {}, log, waits = true, onLine, clock } = options;
  const config = readSessionConfig({
    ...SECRETS,
    PUBLIC_URL,
    SESSION_API_KEY: API_KEY,
    CAPTCHA_POW_ENABLED: 'false',
    CAPTCHA_ESCALATION_AFTER: '100',
    RATE_LIMIT_LOGIN: '100000',
    RATE_LIMIT_LOGIN_CODE: '100000',
    RATE_LIMIT_REFRESH: '100000',
    RATE_LIMIT_SESSION: '100000',
    ...env,
  });
  const { values } = config;
  const logger =
    onLine === undefined
      ? createLogger({ name: 'test', level: 'silent' })
      : createLogger({ name: 'test', level: 'info' }, { write: onLine });
  const inStores = openStoreDependencies(config, { sessions: store, challenges: store }, logger, log);
  const { revocations, revoker, sessions } = inStores;
  const queue = createHashingQueue({ running: 4, waiting: 1000 });
  const metrics = createSessionMetrics({ revocations, revoker, hashing: queue }, { process: false });
  const accounts = withAccounts(directory, () => metrics.countOtherAccount());
  const deps: SessionDependencies = {
    ...inStores,
    directory: accounts,
    signIn: options.signIn ?? signInWithoutHashing(accounts),
    ring: openKeyRing(values.CHALLENGE_SECRET),
    tokenKeys: { ...openTokenKeys(config), onIssued: metrics.countToken, clock },
    metrics,
    trail: trailTo((line) => onLine?.(line), 'session-service', metrics.audit),
    auditPath: values.AUDIT_LOG,
    logger,
  };
  const app = await buildApp(config, deps);
  const admin = await buildSessionAdmin(config, deps, { checks: {}, state: { stopping: false } });
  await app.ready();
  await admin.ready();
  let closing: Promise<void> | undefined;
  const close = async () => {
    await app.close();
    await admin.close();
    await revoker.flush(2000);
    revoker.stop();
    await revocations.stop();
  };
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  t.teardown(closeOnce);
  if (waits) await revocations.caughtUp();
  return { app, admin, sessions, revocations, config, close: closeOnce };
}

function signInWithoutHashing(accounts: AccountDirectory): SignIn {
  return {
    async check(account, password, onFailure) {
      const user = await accounts.findByAccount(account);
      const right = user?.hash.startsWith(HASHED) ? user.hash.slice(HASHED.length) : PASSWORD;
      if (password === right && user?.disabled === false) return user;
      onFailure?.(user === undefined ? 'unknown_account' : user.disabled ? 'disabled' : 'wrong_password');
      return undefined;
    },
    hash: async (password) => `${HASHED}${password}`,
    admit: async () => {},
  };
}

/**
 * Logs a user in.
 * @param cookie the browser's cookies
 */
export async function logIn({ app }: SessionNode, email: string, cookie?: string): Promise<Held> {
  const answer = await app.inject({
    method: 'POST',
    url: '/login',
    headers: { 'user-agent': 'a browser', ...(cookie === undefined ? {} : { cookie }) },
    payload: { email, password: PASSWORD },
  });
  if (answer.statusCode !== 200) throw new Error(`login: ${answer.statusCode} ${answer.body}`);
  return heldFrom(answer);
}

/** A client's tokens after a login or a refresh. */
export function heldFrom(answer: LightMyRequestResponse): Held {
  const cookie = String([answer.headers['set-cookie']].flat().at(0)).split(';')[0] ?? '';
  return { accessToken: answer.json().accessToken, cookie };
}

/** A request with a bearer. */
export function withBearer(
  { app }: SessionNode,
  method: 'GET' | 'HEAD' | 'POST' | 'DELETE',
  url: string,
  { accessToken }: Held,
): Promise<LightMyRequestResponse> {
  return app.inject({ method, url, headers: { authorization: `Bearer ${accessToken}` } });
}

export function refresh({ app }: SessionNode, { cookie }: Held): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/refresh', headers: { cookie } });
}

/** Ends all sessions of these users. */
export async function endSessions({ sessions }: SessionNode, ...uids: readonly number[]): Promise<void> {
  for (const uid of uids) {
    const sids = (await sessions.list(uid)).map(({ sid }) => sid);
    await sessions.endListed(uid, sids);
  }
}

/** The session id of these tokens. */
export async function sessionIdOf(node: SessionNode, held: Held): Promise<string> {
  const answer = await withBearer(node, 'GET', '/verify', held);
  return String(answer.headers['x-auth-session-id']);
}

/** Waits until a condition is true; fails after five seconds. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const limitMs = performance.now() + 5000;
  while (!(await isSo())) {
    if (performance.now() > limitMs) throw new Error('it did not come about within five seconds');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
