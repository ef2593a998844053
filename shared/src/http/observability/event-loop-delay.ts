// The delay of the event loop, measured while the process has work: its timer would wake an idle process 100 times a second.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** How often the delay is sampled, in milliseconds. A sample of an event loop without delay is as long. */
const SAMPLE_EVERY_MS = 10;

/** Prometheus has read the figures by then. */
const PAUSE_AFTER_MS = 60_000;

type Delays = ReturnType<typeof monitorEventLoopDelay>;

/** The figures of the histogram, under the names that Prometheus' clients have for them; all 0 while nothing was sampled. */
const FIGURES: readonly (readonly [name: string, help: string, read: (delays: Delays) => number])[] = [
  ['min', 'The minimum recorded event loop delay.', ({ min }) => min],
  ['max', 'The maximum recorded event loop delay.', ({ max }) => max],
  ['mean', 'The mean of the recorded event loop delays.', ({ mean }) => mean],
  ['stddev', 'The standard deviation of the recorded event loop delays.', ({ stddev }) => stddev],
  ['p50', 'The 50th percentile of the recorded event loop delays.', (delays) => delays.percentile(50)],
  ['p90', 'The 90th percentile of the recorded event loop delays.', (delays) => delays.percentile(90)],
  ['p99', 'The 99th percentile of the recorded event loop delays.', (delays) => delays.percentile(99)],
];

/**
 * Adds the gauges `nodejs_eventloop_lag_*`, which the client of Prometheus has too; it must not measure them itself. Each
 * reading of the metrics begins the measurement anew.
 * @param pauseAfterMs pause after the last call of `active`, in milliseconds; twice as long at most
 * @returns `active`, which starts the measurement or keeps it running
 */
export function measureEventLoop(registry: Registry, pauseAfterMs = PAUSE_AFTER_MS): { active(): void } {
  // A histogram that has never been enabled counts as something that keeps the process alive.
  let delays: Delays | undefined;
  const registers = [registry];
  let isMeasuring = false;
  let isActive = false;

  function pauseIfIdle(): void {
    if (isActive) {
      isActive = false;
      setTimeout(pauseIfIdle, pauseAfterMs).unref();
      return;
    }
    isMeasuring = false;
    delays?.disable();
  }

  const lag = new Gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'Lag of event loop in seconds.',
    registers,
    // All gauges are read at once, this one first: the others are set before the first pause.
    async collect() {
      for (const { gauge, read } of gauges) gauge.set(delays?.count ? read(delays) / 1e9 : 0);
      delays?.reset();
      const startMs = performance.now();
      await new Promise(setImmediate);
      lag.set((performance.now() - startMs) / 1000);
    },
  });
  const gauges = FIGURES.map(([figure, help, read]) => {
    const gauge = new Gauge({ name: `nodejs_eventloop_lag_${figure}_seconds`, help, registers });
    return { gauge, read };
  });
  return {
    active() {
      isActive = true;
      if (isMeasuring) return;
      isMeasuring = true;
      delays ??= monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
      delays.enable();
      setTimeout(pauseIfIdle, pauseAfterMs).unref();
    },
  };
}
