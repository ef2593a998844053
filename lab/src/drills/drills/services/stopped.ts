// One process of each service is stopped as by an orchestrator.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'service-stopped',
  title: 'One process per service is stopped and restarts after 3 s.',
  open: onRedis(),
  environment: { DRAIN_SECONDS: '3' },
  async fault({ sessions, challenges }) {
    await Promise.all([sessions[0].stop(), challenges[0].stop()]);
  },
  holdMs: 3_000,
  async recovery({ sessions, challenges }) {
    await Promise.all([sessions[0].start(), challenges[0].start()]);
  },
  lastFailureMs: 0,
  mostFailures: 0,
});
