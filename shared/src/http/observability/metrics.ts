// Prometheus metrics of a process, the measurement of its requests, and the admin route that serves them.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { PROBES } from './logger.js';

/** The metrics of a process. */
export interface Metrics {
  /**
   * Adds a counter. Returns a function that increments it for a set of label values; if every request calls it, pass the
   * same object each time.
   * @param labels names of its labels
   * @param from values of a single label that start at 0 instead of missing
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    from?: Readonly<Record<Label, readonly string[]>>,
  ): (values?: Readonly<Record<Label, string>>) => void;
  /**
   * Adds a histogram. Returns a function that returns, for a set of label values, the function that records a value; call it
   * once per set and store the result.
   * @param buckets upper bounds, ascending
   */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets: readonly number[],
  ): (values: Readonly<Record<Label, string>>) => (value: number) => void;
  /** Adds a gauge whose value `read` returns at each scrape; with a label, one value per label value. */
  gauge(
    name: string,
    help: string,
    read: () => number | Readonly<Record<string, number>>,
    label?: string,
  ): void;
  /** Reports that the process has work, so that the delay of its event loop is measured. */
  active(): void;
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Creates the metrics. @param options.process whether to include those of the process itself (memory, event loop) */
export function createMetrics(options: { readonly process: boolean }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const eventLoop = options.process ? addProcessMetrics(registry) : undefined;
  return {
    active: () => eventLoop?.active(),
    counter(name, help, labels = [], from) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers });
      for (const label of from === undefined ? [] : labels) {
        for (const value of from?.[label] ?? []) counter.inc({ [label]: value } as never, 0);
      }
      return (values) => (values === undefined ? counter.inc() : counter.inc(values as never));
    },
    histogram(name, help, labels, buckets) {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labels],
        buckets: [...buckets],
        registers,
      });
      return (values) => histogram.labels(values as never).observe;
    },
    gauge(name, help, read, label) {
      new Gauge({
        name,
        help,
        registers,
        labelNames: label === undefined ? [] : [label],
        collect() {
          const current = read();
          if (typeof current === 'number') this.set(current);
          else if (label !== undefined)
            for (const [value, reading] of Object.entries(current)) this.set({ [label]: value }, reading);
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Longest period of a timer in milliseconds. */
const NEVER_MS = 2 ** 31 - 1;

function addProcessMetrics(registry: Registry) {
  // Its own measurement of the event loop cannot be disabled, and would never pause.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith('nodejs_eventloop_lag_')) registry.removeSingleMetric(name);
  return measureEventLoop(registry);
}

/** Adds `GET /metrics`, for the admin port. */
export async function metricsRoute(
  app: FastifyInstance,
  { metrics }: { readonly metrics: Metrics },
): Promise<void> {
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const schema = {
    operationId: 'readMetrics',
    summary: 'Get the metrics of the process, for Prometheus',
    response: { 200: { description: 'Prometheus text format', content: text } },
  };
  app.get('/metrics', { schema }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

/** Measures a finished request. */
export type RequestObserver = (request: FastifyRequest, reply: FastifyReply) => void;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Adds the histogram of requests. Returns a function that returns the observer of a listener. */
export function createRequestObservers(metrics: Metrics): (listener: 'public' | 'admin') => RequestObserver {
  const bind = metrics.histogram(
    'tollgate_http_request_duration_seconds',
    'Time from the arrival of a request to the end of its response',
    ['listener', 'method', 'route', 'status'],
    BUCKETS_SECONDS,
  );
  return (listener) => {
    const bound = new Map<string, (seconds: number) => void>();
    return (request, reply) => {
      const { method } = request;
      const known = METHODS.has(method) ? method : 'other';
      const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched');
      const key = `${reply.statusCode} ${known} ${route}`;
      let observe = bound.get(key);
      if (observe === undefined) {
        const measure = bind({ listener, method: known, route, status: String(reply.statusCode) });
        observe = PROBES.test(route)
          ? measure
          : (seconds) => {
              measure(seconds);
              metrics.active();
            };
        bound.set(key, observe);
      }
      observe(reply.elapsedTime / 1000);
    };
  };
}

async function measureRequests(
  app: FastifyInstance,
  { observe }: { readonly observe: RequestObserver },
): Promise<void> {
  app.addHook('onResponse', (request, reply, done) => {
    observe(request, reply);
    done();
  });
}

/** Measures the requests of the server. */
export const requestMetrics = fp(measureRequests, { name: 'tollgate-request-metrics', fastify: '5.x' });

/** Sampling interval of the delay, in milliseconds. A sample of an event loop without delay is as long. */
const SAMPLE_EVERY_MS = 10;

/** Prometheus has read the values by then. */
const PAUSE_AFTER_MS = 60_000;

type Delays = ReturnType<typeof monitorEventLoopDelay>;

/** The values of the histogram, under the names of Prometheus' clients; all 0 before the first sample. */
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
 * Adds the gauges `nodejs_eventloop_lag_*`, like the client of Prometheus, which must not measure them itself. Each scrape
 * restarts the measurement.
 * @param pauseAfterMs pause after the last call of `active`, in milliseconds; twice as long at most
 * @returns `active`, which starts the measurement or continues it
 */
export function measureEventLoop(registry: Registry, pauseAfterMs = PAUSE_AFTER_MS): { active(): void } {
  // A histogram that has never been enabled prevents the process from exiting.
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
