// Redis rejects all commands that require memory.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'redis-out-of-memory',
  title: 'Redis has no memory for 4 s (noeviction).',
  open: onRedis(),
  async fault({ stage }) {
    await stage.redis.command('CONFIG', 'SET', 'maxmemory', '1');
  },
  holdMs: 4_000,
  async recovery({ stage }) {
    await stage.redis.command('CONFIG', 'SET', 'maxmemory', '0');
  },
  lastFailureMs: 1_500,
});
