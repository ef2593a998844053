// Starts sessions directly on the store, and creates their tokens as session-service does.
import { cookieName } from '@tollgate/session-service/domain/presented-cookies.js';
import { tokenPair } from '@tollgate/session-service/domain/token-pair.js';
import { openSessionStore } from '@tollgate/session-service/stores/open-session-store.js';
import { openKeyRing, randomAlphanumerics } from '@tollgate/shared/crypto';
import type { Store } from '@tollgate/shared/store';
import { tokens } from '@tollgate/shared/tokens';
import Fastify from 'fastify';
import { untilAnswered } from '../until-answered.js';
import { emailOf } from './users.js';

/** A session from its browser's view. */
export interface PreparedSession {
  readonly accessToken: string;
  /** `NAME=VALUE`. */
  readonly cookie: string;
}

const DAY_MS = 86_400_000;
const RULES = {
  windowMs: 30_000,
  recoveries: 4,
  refreshTtlMs: 7 * DAY_MS,
  notRememberedTtlMs: DAY_MS,
  maxAgeMs: 30 * DAY_MS,
  maxSessions: 50,
};
const LIFETIMES = { refreshSeconds: (7 * DAY_MS) / 1000, notRememberedSeconds: 86_400 };
const ACCESS_SECONDS = 900;
const SESSION_ID_CHARACTERS = 22;
const AT_ONCE = 50;
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0';

let lastUser = 0;

/** Returns the id of a new user. */
export function nextUser(): number {
  lastUser += 1;
  return lastUser;
}

/**
 * Starts sessions, each of a different user.
 * @param environment with the secrets of session-service, and its `ACCESS_TTL` unless that is the default
 */
export async function prepareSessions(
  store: Store,
  environment: Readonly<Record<string, string>>,
  count: number,
): Promise<PreparedSession[]> {
  const app = Fastify();
  await app.register(tokens, {
    accessSecrets: openKeyRing(environment.ACCESS_SECRET!),
    refreshSecrets: openKeyRing(environment.REFRESH_SECRET!),
    encryptionKeys: openKeyRing(environment.ENCRYPTION_KEY!),
  });
  await app.ready();
  const sessions = openSessionStore(store);
  const lifetimes = { ...LIFETIMES, accessSeconds: Number(environment.ACCESS_TTL ?? ACCESS_SECONDS) };
  const start = async (): Promise<PreparedSession> => {
    const [id, sid] = [nextUser(), randomAlphanumerics(SESSION_ID_CHARACTERS)];
    const started = await untilAnswered(() => sessions.start({ uid: id, sid, userAgent: USER_AGENT }, RULES));
    const moment = { sid, generation: 1, ...started, createdAtMs: started.nowMs, attributes: {} };
    const { access, refresh } = tokenPair({ id, email: emailOf(id) }, moment, lifetimes);
    return {
      accessToken: app.tokens.access.issue(access),
      cookie: `${cookieName(undefined)}=${app.tokens.refresh.issue(refresh)}`,
    };
  };
  const prepared: PreparedSession[] = [];
  while (prepared.length < count) {
    const missing = Math.min(AT_ONCE, count - prepared.length);
    prepared.push(...(await Promise.all(Array.from({ length: missing }, start))));
  }
  await app.close();
  return prepared;
}
