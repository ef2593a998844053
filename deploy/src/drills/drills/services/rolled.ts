// All four processes are stopped and started again, one after the other.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'service-rolled',
  title: 'All processes are stopped and started again one after the other, as in a roll-out.',
  open: onRedis(),
  async fault({ services }) {
    for (const service of services) {
      await service.stop();
      await service.start();
    }
  },
  lastFailureMs: 0,
  mostFailures: 0,
});
