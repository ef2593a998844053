// Doctor with the service's environment: faults of stores and users.

import { join } from 'node:path';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import t from 'tap';
import { complaints, openStores, startExaminedSystem } from './examined-system.js';

const problem = (check: string, message: string) => ({ check, severity: 'problem', message });
const warning = (check: string, message: string) => ({ check, severity: 'warning', message });

t.test('a Redis that evicts keys, has no persistence, or is shared', async (t) => {
  const { sessions, challenges, environment } = await openStores(t);
  const { examine, env } = await startExaminedSystem(t, { environment });
  t.strictSame(complaints(await examine({ env })), []);

  await challenges.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await sessions.client.config('SET', 'maxmemory-policy', 'volatile-ttl');
  await sessions.client.config('SET', 'appendonly', 'no');
  await challenges.client.config('SET', 'save', '60 1');
  t.strictSame(complaints(await examine({ env })), [
    problem(
      'redis_evicts',
      'The Redis in STORE_URL evicts keys when its memory is full (maxmemory-policy volatile-ttl).',
    ),
    warning('sessions_not_kept', 'The session Redis has no append-only file: a restart loses sessions.'),
    problem(
      'redis_evicts',
      'The Redis in CAPTCHA_CACHE_STORE evicts keys when its memory is full (maxmemory-policy allkeys-lru).',
    ),
    warning(
      'challenges_from_snapshots',
      'The Redis in CAPTCHA_CACHE_STORE only writes snapshots: after a crash, challenges spent since the last one can be spent again.',
    ),
  ]);
});

t.test('sessions and challenges on one Redis, under one address or two', async (t) => {
  const { sessions } = await openStores(t);
  const one = warning(
    'one_store',
    'Sessions and challenges share one Redis: a flood of challenges can fill its memory.',
  );
  for (const more of [{}, { CAPTCHA_CACHE_STORE: `${sessions.url}/1` }]) {
    const { examine, env, system } = await startExaminedSystem(t, {
      environment: { STORE_URL: sessions.url, ...more },
    });
    t.strictSame(complaints(await examine({ env })), [one]);
    // The next one has other secrets.
    await system.stop();
  }
});

t.test('an unavailable store and the affected service are named', async (t) => {
  const { challenges, environment } = await openStores(t);
  const { examine, env } = await startExaminedSystem(t, { environment });
  await challenges.stop();
  t.strictSame(complaints(await examine({ env })), [
    problem('service_away', 'A service or its store is unavailable; response: 503 (store_unavailable).'),
    problem(
      'store_away',
      'The store in CAPTCHA_CACHE_STORE does not respond from here: nothing listens at its address.',
    ),
    warning('degraded', 'session-service serves in a degraded state (failed: challenge_store).'),
    problem('not_ready', 'challenge-service is not ready (failed: store).'),
  ]);
});

t.test('weak or unreadable password hashes', async (t) => {
  const { examine, env } = await startExaminedSystem(t);
  const directory = openEmbeddedDirectory(join(env.DATA_DIR ?? '', 'users.db'));
  t.teardown(() => directory.close());
  await directory.add('old@example.com', `$2b$10$${'a'.repeat(53)}`);
  await directory.add('odd@example.com', 'plain text');
  await directory.add('none@example.com', '');
  t.strictSame(complaints(await examine({ env })), [
    problem('hashes_unreadable', 'The password hash of 1 user cannot be read: they cannot log in.'),
    warning('hashes_outdated', 'The password hash of 1 user is weaker than new ones.'),
  ]);
});
