// Fills session-service's caches of tokens and sessions, so that they stop growing.
import { once } from 'node:events';
import { openStore } from '@tollgate/shared/store';
import { send } from '../scaling/send.js';
import { type PreparedSession, prepareSessions } from '../scaling/sessions.js';

/**
 * More than a process keeps (50,000, proof-of-use.ts), so that the session table has its final size: it has room for 65,536,
 * including dropped ones, and grows once more. They exceed the cache of verified tokens (token-codec.ts), too.
 */
const SESSIONS = 70_000;
/** Prepared and verified before their tokens expire. */
const AT_ONCE = 5_000;
const CONNECTIONS = 20;

/**
 * Lets each process verify a token of each of many sessions.
 * @param environment with the token secrets, and `ACCESS_TTL`
 * @throws Error if a token is rejected
 */
export async function fillCaches(
  urls: readonly string[],
  storeUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const store = openStore(storeUrl, '.');
  try {
    if (store.kind === 'redis' && !store.isReady()) await once(store.client, 'ready');
    for (let made = 0; made < SESSIONS; made += AT_ONCE) {
      const sessions = await prepareSessions(store, environment, AT_ONCE);
      await Promise.all(urls.map((url) => verifyAll(url, sessions)));
    }
  } finally {
    await store.close();
  }
}

async function verifyAll(url: string, sessions: readonly PreparedSession[]): Promise<void> {
  const left = sessions.values();
  const next = () => {
    const { accessToken } = left.next().value!;
    return {
      method: 'GET' as const,
      path: '/verify',
      headers: { authorization: `Bearer ${accessToken}` },
    };
  };
  const extent = { requests: sessions.length };
  const { failures } = await send({ urls: [url], connections: CONNECTIONS, extent, next });
  if (failures > 0) throw new Error(`${failures} of ${sessions.length} tokens were rejected`);
}
