// The Redis password changes while the services run.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

const PASSWORD = 'another';
const AUTHENTICATED = ['--pass', PASSWORD, '--no-auth-warning'];

export default defineDrill({
  name: 'redis-password',
  title: 'Redis has another password for 4 s and closes all connections.',
  open: onRedis(),
  async fault({ stage }) {
    await stage.redis.command('CONFIG', 'SET', 'requirepass', PASSWORD);
    await stage.redis.command(...AUTHENTICATED, 'CLIENT', 'KILL', 'TYPE', 'normal');
  },
  holdMs: 4_000,
  async recovery({ stage }) {
    await stage.redis.command(...AUTHENTICATED, 'CONFIG', 'SET', 'requirepass', '');
  },
  lastFailureMs: 1_500,
});
