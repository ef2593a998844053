// One process of each service is killed and restarts.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'service-killed',
  title: 'One process per service is killed and restarts after 3 s.',
  open: onRedis(),
  async fault({ sessions, challenges }) {
    await Promise.all([sessions[0].kill(), challenges[0].kill()]);
  },
  holdMs: 3_000,
  async recovery({ sessions, challenges }) {
    await Promise.all([sessions[0].start(), challenges[0].start()]);
  },
  lastFailureMs: 1_500,
});
