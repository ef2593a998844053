// Fills what session-service remembers of tokens and sessions, so that it does not grow any more afterwards.
import { once } from 'node:events';
import { openStore } from '@tollgate/shared/store';
import { send } from '../scaling/send.js';
import { type PreparedSession, prepareSessions } from '../scaling/sessions.js';

/**
 * More than a process remembers (50,000, proof-of-use.ts), so that the table of the sessions has its last size: it has
 * room for 65,536, counting those that were dropped, and grows once more. More tokens than are kept verified
 * (token-codec.ts) are among them.
 */
const SESSIONS = 70_000;
/** Prepared and verified before their tokens expire. */
const AT_ONCE = 5_000;
const CONNECTIONS = 20;

/**
 * Lets each process verify a token of each of many sessions.
 * @param environment with the secrets of the tokens, and `ACCESS_TTL`
 * @throws Error if a token is refused
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
  if (failures > 0) throw new Error(`${failures} of ${sessions.length} tokens were refused`);
}
