// Liveness, readiness, and the event loop delay.

import { setTimeout as pause } from 'node:timers/promises';
import Fastify from 'fastify';
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import healthRoutes, { type HealthCheck, type HealthState } from '../../../src/http/observability/health.js';
import { createMetrics, measureEventLoop } from '../../../src/http/observability/metrics.js';

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

// The event loop delay is measured while the process is busy, with the metric names of common dashboards.

const FIGURES = ['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'];

async function delays(metrics: { text(): Promise<string> }): Promise<Record<string, number>> {
  const lines = (await metrics.text()).matchAll(/^nodejs_eventloop_lag(\S*)_seconds (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, figure = '', value]) => [figure, Number(value)]));
}

t.test('an idle process reports no delay, a busy one does, and each reading starts again', async (t) => {
  const metrics = createMetrics({ process: true });
  const idle = await delays(metrics);
  t.strictSame(Object.keys(idle).sort(), [...FIGURES].sort());
  for (const figure of FIGURES.slice(1)) t.equal(idle[figure], 0, `the figure${figure}`);

  metrics.active();
  let busy = await delays(metrics);
  while (busy._p99 === 0) {
    await pause(30);
    busy = await delays(metrics);
  }
  t.ok(busy._min! > 0 && busy._min! <= busy._p50! && busy._p50! <= busy._max!);
  let isAnew = false;
  while (!isAnew) isAnew = (await delays(metrics))._max === 0;
});

t.test('the measurement pauses some time after the last work', async (t) => {
  const registry = new Registry();
  const metrics = { text: () => registry.metrics() };
  const eventLoop = measureEventLoop(registry, 50);
  eventLoop.active();
  await pause(30);
  const samples: number[] = [];
  // Three times a sample's duration.
  while (samples.at(-1) !== 0) {
    await pause(30);
    samples.push((await delays(metrics))._max!);
  }
  t.ok(samples.length > 1, 'it went on for a while');
  eventLoop.active();
  while ((await delays(metrics))._max === 0) await pause(30);
});

t.test('metrics without process metrics have no delay', async (t) => {
  const metrics = createMetrics({ process: false });
  metrics.active();
  t.strictSame(await delays(metrics), {});
});
