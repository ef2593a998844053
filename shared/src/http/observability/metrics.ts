// Prometheus metrics of a process, and the admin route that serves them.

import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { measureEventLoop } from './event-loop-delay.js';

/** The metrics of a process. */
export interface Metrics {
  /**
   * Adds a counter. Returns a function that increments it for a set of label values; where every request calls it, pass
   * the same object each time.
   * @param labels names of its labels
   * @param from values of a single label that are shown as 0 until they are counted
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    from?: Readonly<Record<Label, readonly string[]>>,
  ): (values?: Readonly<Record<Label, string>>) => void;
  /**
   * Adds a histogram. Returns a function that returns, for a set of label values, the function that takes a measurement;
   * call it once for each set and keep the result.
   * @param buckets upper bounds, ascending
   */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets: readonly number[],
  ): (values: Readonly<Record<Label, string>>) => (value: number) => void;
  /** Adds a gauge that `read` supplies when the metrics are read; with a label, one value for each of its values. */
  gauge(
    name: string,
    help: string,
    read: () => number | Readonly<Record<string, number>>,
    label?: string,
  ): void;
  /** Tells that the process has work, so that the delay of its event loop is measured. */
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
  // Its own measurement of the event loop cannot be left out, and would never pause.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith('nodejs_eventloop_lag_')) registry.removeSingleMetric(name);
  return measureEventLoop(registry);
}

/** Adds `GET /metrics`, for the admin port. */
export default async function metricsRoute(
  app: FastifyInstance,
  { metrics }: { readonly metrics: Metrics },
): Promise<void> {
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const schema = {
    operationId: 'readMetrics',
    summary: 'The metrics of the process, for Prometheus',
    response: { 200: { description: 'In the text format of Prometheus', content: text } },
  };
  app.get('/metrics', { schema }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
