// All processes restart, one node after the other.

import { setTimeout as sleep } from 'node:timers/promises';
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'service-rolled',
  title: 'All four processes restart, one node after the other (rollout).',
  open: onRedis(),
  environment: { DRAIN_SECONDS: '3' },
  async fault({ sessions, challenges }) {
    for (const node of [0, 1] as const) {
      await Promise.all([sessions[node].stop(), challenges[node].stop()]);
      await Promise.all([sessions[node].start(), challenges[node].start()]);
      // A rollout continues when the gateway has found the new processes.
      await sleep(2_000);
    }
  },
  lastFailureMs: 0,
  mostFailures: 0,
});
