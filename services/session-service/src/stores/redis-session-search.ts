// The search for a session on Redis: one script for a user, and a scan of the servers for the users.

import { userSessionsKey } from '@tollgate/shared/sessions/session-keys.js';
import type { RedisClient } from '@tollgate/shared/store/redis-connection.js';
import { asStoreError } from '@tollgate/shared/store/redis-connection.js';
import { loadScript, replyOf } from '@tollgate/shared/store/redis-script.js';
import { Cluster, type Redis } from 'ioredis';
import { parseSessionEnd } from '../domain/session-end.js';
import { parseSessionRecord } from '../domain/session-record.js';
import { endNotesKey, USER_KEYS, userOfKey } from './session-keys.js';
import type { SearchResult, SessionSearch } from './session-search.js';

const SCRIPTS = new URL('../../../lua/', import.meta.url);

/** Keys that a server looks at in one step of the scan. */
const SCAN_COUNT = 500;

export function redisSessionSearch(client: RedisClient): SessionSearch {
  const findSession = loadScript<[nowMs: number, record: string, note: string]>(
    client,
    SCRIPTS,
    'session_find',
  );

  const findIn = async (sid: string, uid: number): Promise<SearchResult> => {
    const [nowMs, record, note] = await findSession([userSessionsKey(uid), endNotesKey(uid)], [sid]);
    if (record !== '') return { nowMs, known: { uid, record: parseSessionRecord(record) } };
    return { nowMs, known: note === '' ? undefined : { uid, end: parseSessionEnd(note) } };
  };

  return {
    async find(sid, uid) {
      if (uid !== undefined) return findIn(sid, uid);
      for (const server of client instanceof Cluster ? client.nodes('master') : [client]) {
        for await (const users of scanUsers(server)) {
          const results = await Promise.all(users.map((user) => findIn(sid, user)));
          const result = results.find(({ known }) => known !== undefined);
          if (result !== undefined) return result;
        }
      }
      // A user that nobody has: only the time is of interest.
      return findIn(sid, 0);
    },
    async ends(uid) {
      const notes = await replyOf(client, client.lrange(endNotesKey(uid), 0, -1));
      return notes.map(parseSessionEnd);
    },
  };
}

/** The users that a server knows, some at a time; one may come several times. */
async function* scanUsers(server: Redis): AsyncGenerator<number[]> {
  let cursor = '0';
  do {
    let keys: string[];
    try {
      [cursor, keys] = await server.scan(cursor, 'MATCH', `${USER_KEYS}*`, 'COUNT', SCAN_COUNT);
    } catch (error) {
      throw asStoreError(error);
    }
    const users = keys.map(userOfKey).filter((user) => user !== undefined);
    yield [...new Set(users)];
  } while (cursor !== '0');
}
