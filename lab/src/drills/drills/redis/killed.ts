// Redis is killed and restarts.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'redis-killed',
  title: 'Redis is killed and restarts after 3 s.',
  open: onRedis(),
  fault: ({ stage }) => stage.redis.stop(),
  holdMs: 3_000,
  recovery: ({ stage }) => stage.redis.start(),
  lastFailureMs: 1_500,
});
