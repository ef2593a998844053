// Processes that share the embedded store are killed while they write.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineDrill } from '../../drill.js';
import { onFiles } from '../../servers/embedded.js';

export default defineDrill({
  name: 'embedded-killed',
  title: 'Embedded store: each process in turn is killed and restarts.',
  open: onFiles(),
  async fault({ services }) {
    for (const service of services) {
      await service.kill();
      await service.start();
      await sleep(500);
    }
  },
  lastFailureMs: 1_500,
});
