// The gateway stops and restarts.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

export default defineDrill({
  name: 'gateway-restarted',
  title: 'The gateway is restarted.',
  open: onRedis(),
  fault: ({ gateway }) => gateway.stop('SIGTERM'),
  recovery: ({ gateway }) => gateway.start(),
  lastFailureMs: 1_500,
});
