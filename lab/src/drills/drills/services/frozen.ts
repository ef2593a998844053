// One process of each service freezes and continues.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'service-frozen',
  title: 'One process per service is frozen for 5 s.',
  open: onRedis(),
  async fault({ sessions, challenges }) {
    sessions[0].freeze();
    challenges[0].freeze();
  },
  holdMs: 5_000,
  async recovery({ sessions, challenges }) {
    sessions[0].thaw();
    challenges[0].thaw();
  },
  lastFailureMs: 1_500,
});
