// Redis freezes and continues.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'redis-frozen',
  title: 'Redis is frozen for 5 s; connections stay open.',
  open: onRedis(),
  fault: async ({ stage }) => stage.redis.freeze(),
  holdMs: 5_000,
  recovery: async ({ stage }) => stage.redis.thaw(),
  lastFailureMs: 1_500,
});
