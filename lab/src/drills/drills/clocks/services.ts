// The clocks of two processes jump, and jump back.
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';

const HOUR_MS = 3_600_000;

export default defineDrill({
  name: 'clock-jumps',
  title: 'For 4 s one session service is an hour ahead, one challenge service an hour behind.',
  open: onRedis(),
  async fault({ sessions, challenges }) {
    sessions[0].moveClock(HOUR_MS);
    challenges[0].moveClock(-HOUR_MS);
  },
  holdMs: 4_000,
  async recovery({ sessions, challenges }) {
    sessions[0].moveClock(0);
    challenges[0].moveClock(0);
  },
  lastFailureMs: 1_500,
});
