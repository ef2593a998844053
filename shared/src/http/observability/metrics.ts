// Figures for Prometheus: what a service counts and measures, and the admin route that shows it.

import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The figures of one process. */
export interface Metrics {
  /**
   * Adds a counter; `labels` name its dimensions. Returns what counts one more; on a path that every request takes, hand
   * it the same object each time.
   * @param from values that a single label will have: they show as 0 until they are counted
   */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    from?: Readonly<Record<Label, readonly string[]>>,
  ): (values?: Readonly<Record<Label, string>>) => void;
  /**
   * Adds a histogram. Returns a function that gives, for one set of label values, what takes a measurement: to be made
   * once and kept.
   * @param buckets upper bounds, ascending
   */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets: readonly number[],
  ): (values: Readonly<Record<Label, string>>) => (value: number) => void;
  /** Adds a figure that is read when it is asked for; with a label, one for each of its values. */
  gauge(
    name: string,
    help: string,
    read: () => number | Readonly<Record<string, number>>,
    label?: string,
  ): void;
  /** All figures in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** @param options.process whether the process's own figures (memory, event loop) are among them */
export function createMetrics(options: { readonly process: boolean }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.process) collectDefaultMetrics({ register: registry });
  return {
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
          const found = read();
          if (typeof found === 'number') this.set(found);
          else if (label !== undefined)
            for (const [value, figure] of Object.entries(found)) this.set({ [label]: value }, figure);
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** `GET /metrics`, for the admin port. */
export default async function metricsRoute(
  app: FastifyInstance,
  { metrics }: { readonly metrics: Metrics },
): Promise<void> {
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const schema = {
    operationId: 'readMetrics',
    summary: 'Figures for Prometheus',
    response: { 200: { description: 'In the text format of Prometheus', content: text } },
  };
  app.get('/metrics', { schema }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
