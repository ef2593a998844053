// Redis without persistence is killed.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'redis-unpersisted',
  title: 'Redis without persistence is killed and restarts empty.',
  open: onRedis({ persistence: 'none' }),
  fault: ({ stage }) => stage.redis.stop(),
  holdMs: 1_000,
  recovery: ({ stage }) => stage.redis.start(),
  lastFailureMs: 1_500,
  inherent: {
    mistakes: ['issued work lost', 'login lost', 'logged out by accident', 'attempt lost'],
    why: 'What is in memory alone is gone with the process: everybody must sign in again, and failures are forgotten. Nothing is accepted twice.',
    setting: '`appendonly yes` for the sessions',
  },
});
