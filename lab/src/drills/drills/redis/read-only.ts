// Redis becomes a replica, and then a master again, while all clients stay connected.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'redis-read-only',
  title: 'Redis rejects writes for 4 s, as a replica does.',
  open: onRedis(),
  async fault({ stage }) {
    // Nothing listens there, so the data do not change.
    await stage.redis.command('REPLICAOF', '127.0.0.1', '1');
  },
  holdMs: 4_000,
  async recovery({ stage }) {
    await stage.redis.command('REPLICAOF', 'NO', 'ONE');
  },
  lastFailureMs: 1_500,
});
