// Redis's host name moves to its replica; connections to the old master stay.
import { until } from '@tollgate/test-support/until.js';
import { defineDrill } from '../../drill.js';
import { onNamedRedis } from '../../servers/named-redis.js';

export default defineDrill({
  name: 'redis-moved',
  title: 'The name of Redis moves to its replica; the old server becomes a replica.',
  open: onNamedRedis,
  async fault({ stage: { master, replica, name } }) {
    // The old master stops writing, completes the replication, and becomes a replica.
    await master.command('FAILOVER', 'TO', '127.0.0.1', String(replica.port));
    await until(
      async () => (await replica.command('ROLE')).startsWith('master'),
      'the replica is the master',
    );
    name.moveTo(replica.port);
  },
  lastFailureMs: 3_000,
});
