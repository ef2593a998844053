// Liveness and readiness.

import Fastify from 'fastify';
import t, { type Test } from 'tap';
import healthRoutes, { type HealthCheck, type HealthState } from '../../../src/http/observability/health.js';

async function build(
  t: Test,
  checks: Record<string, HealthCheck>,
  state: HealthState = { stopping: false },
  dispensable: string[] = [],
) {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(healthRoutes, { checks, state, dispensable, timeLimitMs: 20 });
  const get = async (url: string) => {
    const response = await app.inject(url);
    return [response.statusCode, response.json()];
  };
  return { get };
}

t.test('a responding process is alive, in any state of its dependencies', async (t) => {
  const { get } = await build(t, { store: () => Promise.reject(new Error('away')) }, { stopping: true });
  t.same(await get('/health/live'), [200, { status: 'ok' }]);
});

t.test('a gateway may send requests until the service stops, in any state of its dependencies', async (t) => {
  const state = { stopping: false };
  const { get } = await build(t, { store: () => Promise.reject(new Error('away')) }, state);
  t.same(await get('/health/serving'), [200, { status: 'ok' }]);
  state.stopping = true;
  t.same(await get('/health/serving'), [503, { status: 'stopping' }]);
});

t.test('it is ready if every dependency works', async (t) => {
  const { get } = await build(t, { store: async () => 1, images: async () => undefined });
  t.same(await get('/health/ready'), [200, { status: 'ok', checks: { store: 'ok', images: 'ok' } }]);
});

t.test('it stays ready, and degraded, without an optional dependency', async (t) => {
  const away = () => Promise.reject(new Error('away'));
  const images = await build(t, { store: async () => 1, images: away }, undefined, ['images']);
  const checks = { store: 'ok', images: 'failed' };
  t.same(await images.get('/health/ready'), [200, { status: 'degraded', checks }]);
  const both = await build(t, { store: away, images: away }, undefined, ['images']);
  const all = { store: 'failed', images: 'failed' };
  t.same(await both.get('/health/ready'), [503, { status: 'failed', checks: all }]);
});

t.test('it is not ready if a dependency fails, throws, or does not respond in time', async (t) => {
  const { get } = await build(t, {
    good: async () => 1,
    failing: async () => {
      throw new Error('redis://:hunter2@h is away');
    },
    throwing: () => {
      throw new Error('at once');
    },
    silent: () => new Promise(() => {}),
  });
  t.same(await get('/health/ready'), [
    503,
    { status: 'failed', checks: { good: 'ok', failing: 'failed', throwing: 'failed', silent: 'failed' } },
  ]);
});

t.test('it is not ready while stopping, and runs no check', async (t) => {
  const state = { stopping: false };
  let asked = 0;
  const { get } = await build(t, { store: async () => asked++ }, state);
  t.equal((await get('/health/ready'))[0], 200);
  state.stopping = true;
  t.same(await get('/health/ready'), [503, { status: 'stopping', checks: {} }]);
  t.equal(asked, 1);
});
