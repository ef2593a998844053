// The event loop delay is measured while the process is busy, with the metric names of common dashboards.
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import t from 'tap';
import { createMetrics, measureEventLoop } from '../../../src/http/observability/metrics.js';

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
