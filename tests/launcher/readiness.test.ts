// The terminal message when a service has been without its store for too long.

import { readinessMessage } from '@tollgate/tools/launcher/readiness.js';
import t from 'tap';

const body = (checks: Record<string, string>) => JSON.stringify({ status: 'failed', checks });
const redis = { STORE_URL: 'redis://user:secret-word@10.0.0.1:6379/2' };

t.test('an unreachable store is named once, with its variable and without its password', async (t) => {
  const line = readinessMessage(
    'session-service',
    body({ store: 'failed', challenge_store: 'failed' }),
    redis,
  );
  t.equal(line, 'redis://10.0.0.1:6379/2 cannot be reached (STORE_URL).');
  t.equal(readinessMessage('challenge-service', body({ store: 'failed', images: 'ok' }), redis), line);
});

t.test('a separate challenge store is distinguished', async (t) => {
  const environment = { ...redis, CAPTCHA_CACHE_STORE: 'redis://:pw@10.0.0.2:6379' };
  const line = 'redis://10.0.0.2:6379 cannot be reached (CAPTCHA_CACHE_STORE).';
  t.equal(readinessMessage('challenge-service', body({ store: 'failed' }), environment), line);
  const checks = body({ store: 'ok', challenge_store: 'failed', directory: 'ok' });
  t.equal(readinessMessage('session-service', checks, environment), line);
});

t.test('an unexpected response is shown unchanged', async (t) => {
  t.equal(
    readinessMessage('session-service', 'bad gateway', {}),
    'session-service is not ready: bad gateway',
  );
  t.equal(
    readinessMessage('session-service', body({ new_part: 'failed' }), {}),
    'session-service is not ready: new_part',
  );
});

t.test('a service without an optional part is ready, unless the part is a store', async (t) => {
  const degraded = (checks: object) => JSON.stringify({ status: 'degraded', checks });
  t.equal(
    readinessMessage('challenge-service', degraded({ store: 'ok', images: 'failed' }), redis),
    undefined,
  );
  const users = { USERS_URL: 'postgres://user:secret-word@10.0.0.3/shop' };
  t.equal(
    readinessMessage('session-service', degraded({ store: 'ok', directory: 'failed' }), users),
    'postgres://10.0.0.3/shop cannot be reached (USERS_URL).',
  );
});
