// Redis with snapshots only is killed.

import { setTimeout as sleep } from 'node:timers/promises';
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'redis-snapshots',
  title: 'Redis with snapshots alone is killed 3 s after one.',
  open: onRedis({ persistence: 'snapshots' }),
  async fault({ stage }) {
    await stage.redis.command('SAVE');
    await sleep(3_000);
    await stage.redis.stop();
  },
  holdMs: 1_000,
  recovery: ({ stage }) => stage.redis.start(),
  lastFailureMs: 1_500,
  inherent: {
    mistakes: [
      'issued work lost',
      'login lost',
      'logged out by accident',
      'attempt lost',
      'spent work accepted again',
      'ended session accepted again',
    ],
    why: 'The server comes back as it was at the last snapshot: what was spent, ended or written since then is not.',
    setting:
      '`appendonly yes`; `appendfsync always` also covers the last second before a crash of the machine',
  },
});
