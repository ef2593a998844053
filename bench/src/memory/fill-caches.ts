// Fills what session-service remembers of tokens and sessions, so that it does not grow any more afterwards.
import { once } from 'node:events';
import { openStore } from '@tollgate/shared/store/open-store.js';
import { send } from '../scaling/send.js';
import { prepareSessions } from '../scaling/sessions.js';

/** As many sessions as a process remembers (proof-of-use.ts), and more tokens than it keeps verified (token-codec.ts). */
const SESSIONS = 50_000;
const CONNECTIONS = 20;

/**
 * Lets each process verify a token of each of many sessions.
 * @param environment with the secrets of the tokens
 */
export async function fillCaches(
  urls: readonly string[],
  storeUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const store = openStore(storeUrl, '.');
  try {
    if (store.kind === 'redis' && !store.isReady()) await once(store.client, 'ready');
    const sessions = await prepareSessions(store, environment, SESSIONS);
    await Promise.all(
      urls.map((url) => {
        let at = 0;
        const next = () => {
          const { accessToken } = sessions[at % SESSIONS]!;
          at += 1;
          const headers = { authorization: `Bearer ${accessToken}` };
          return { method: 'GET' as const, path: '/verify', headers };
        };
        return send({ urls: [url], connections: CONNECTIONS, extent: { requests: SESSIONS }, next });
      }),
    );
  } finally {
    await store.close();
  }
}
