// The Redis host vanishes without closing a connection, and its name moves to the replica.
import { defineDrill } from '../../drill.js';
import { onNamedRedis } from '../../servers/named-redis.js';

export default defineDrill({
  name: 'redis-silent',
  title: 'The host of Redis falls silent; its name moves to the replica.',
  open: onNamedRedis,
  async fault({ stage: { master, replica, name } }) {
    master.freeze();
    name.silence();
    name.moveTo(replica.port);
    await replica.command('REPLICAOF', 'NO', 'ONE');
  },
  lastFailureMs: 3_000,
});
