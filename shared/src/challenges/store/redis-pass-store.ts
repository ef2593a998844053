// Passes in Redis: one hash of all passes, whose slot their counters share.

import type { RedisClient } from '../../store/redis-connection.js';
import { loadScript, replyOf } from '../../store/redis-script.js';
import { type PassOutcome, parsePass } from '../attempts/pass.js';
import type { ChallengeKeys } from './challenge-keys.js';
import { PASS_WINDOW_MS, type PassStore } from './pass-store.js';

const SCRIPTS = new URL('../../../../lua/', import.meta.url);

/** The operations on Redis. */
export function redisPassStore(client: RedisClient, keys: ChallengeKeys): PassStore {
  const usePass = loadScript<[PassOutcome, number]>(client, SCRIPTS, 'use_pass');
  const makePass = loadScript<number | null>(client, SCRIPTS, 'make_pass');

  return {
    async usePass({ name, hash, application, claim, rememberMs }) {
      const [outcome, waitMs] = await usePass(
        [keys.passes, keys.passUses(name), keys.passClaim(name, claim)],
        [name, hash, application, PASS_WINDOW_MS, rememberMs],
      );
      return { outcome, waitMs };
    },

    makePass: ({ name, hash, application, perMinute, lifetimeMs }) =>
      makePass([keys.passes], [name, hash, application, perMinute, lifetimeMs]),

    async listPasses() {
      const found = await replyOf(client, client.hgetall(keys.passes));
      return Object.keys(found)
        .sort()
        .flatMap((name) => parsePass(name, found[name] ?? '') ?? []);
    },

    async revokePass(name) {
      return (await replyOf(client, client.hdel(keys.passes, name))) === 1;
    },
  };
}
