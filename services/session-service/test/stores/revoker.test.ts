// Revocation entries that cannot be written.

import { followRevocations, LOG_START, openRevocationLog } from '@tollgate/shared/sessions';
import { StoreUnavailableError } from '@tollgate/shared/store';
import { redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { createRevoker } from '../../src/stores/revoker.js';

const quiet = { info() {}, warn() {}, error() {} };

t.test(
  'an entry written after its step is enforced here at once and retried until it is written',
  async (t) => {
    const { store, redis } = await redisStore(t);
    const log = openRevocationLog(store);
    const follower = followRevocations(log, quiet);
    t.teardown(() => follower.stop());
    const revoker = createRevoker({ log, follower, accessTtlMs: 900_000, logger: quiet });
    t.teardown(() => revoker.stop());
    await follower.caughtUp();
    await redis.stop();

    await t.rejects(revoker.revoke(['known']), StoreUnavailableError);
    t.equal(await follower.isRevoked('known'), false, 'nothing is refused that was not written');
    revoker.revokeEnded(['a', 'b']);
    revoker.revokeEnded(['c']);
    for (const sid of ['a', 'b', 'c']) t.equal(await follower.isRevoked(sid), true);
    t.equal(revoker.waiting, 3);

    await redis.start();
    await revoker.flush(5000);
    t.equal(revoker.waiting, 0);
    const { entries } = await log.readAfter(LOG_START);
    t.strictSame(entries.flatMap(({ sids }) => sids).sort(), ['a', 'b', 'c']);
  },
);

t.test('the retries stop when no access token can still be valid', async (t) => {
  const { store, redis } = await redisStore(t);
  const log = openRevocationLog(store);
  const follower = followRevocations(log, quiet);
  t.teardown(() => follower.stop());
  const revoker = createRevoker({ log, follower, accessTtlMs: 1, logger: quiet });
  t.teardown(() => revoker.stop());
  await redis.stop();
  revoker.revokeEnded(['a']);
  await revoker.flush(5000);
  t.equal(revoker.waiting, 0);
});

t.test('a node that starts without its store keeps retrying, and then follows the log', async (t) => {
  const { store, redis } = await redisStore(t);
  await redis.stop();
  const log = openRevocationLog(store);
  const follower = followRevocations(log, quiet);
  t.teardown(() => follower.stop());
  t.equal(await follower.isRevoked('a'), false);
  t.ok(follower.lagSeconds() > 0);
  await redis.start();
  await redis.client.xadd('session:revoked', '*', 'sids', 'a', 'keep_ms', '960000');
  await follower.caughtUp();
  t.equal(follower.lagSeconds(), 0);
  t.equal(await follower.isRevoked('a'), true);
});
