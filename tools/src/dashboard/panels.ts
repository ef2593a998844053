// The queries of the Grafana dashboard, and the form of its panels and rows.

/** A figure of the dashboard. */
export interface DashboardPanel {
  readonly title: string;
  readonly description: string;
  /** Unit as Grafana names it. */
  readonly unit: string;
  /** PromQL, each with the legend of its series. */
  readonly queries: readonly (readonly [expression: string, legend: string])[];
  /** Drawn as current values; as lines over time unless set. */
  readonly type?: 'stat';
}

/** A titled group of panels. */
export interface DashboardRow {
  readonly title: string;
  readonly panels: readonly DashboardPanel[];
}

const CHOSEN = 'namespace=~"$namespace",instance=~"$instance"';
/** The histogram of requests. */
export const REQUESTS = 'tollgate_http_request_duration_seconds';
/** Matchers of the chosen processes of both services, for metrics that other programs have too. */
export const EVERY_PROCESS = `job=~"tollgate-.+",${CHOSEN}`;

/** A metric of the chosen processes. @param labels further matchers */
export const of = (metric: string, labels = '') => `${metric}{${labels === '' ? '' : `${labels},`}${CHOSEN}}`;
/** Its growth per second. */
export const rate = (metric: string, labels?: string) => `rate(${of(metric, labels)}[$__rate_interval])`;
/** The same, summed up. @param by labels to keep apart */
export const rateBy = (by: string, metric: string, labels?: string) =>
  `sum by (${by}) (${rate(metric, labels)})`;

/** A quantile of a histogram. @param by labels to keep apart, none for one figure over all */
export function quantile(share: number, metric: string, by = '', labels?: string): string {
  const kept = by === '' ? 'le' : `${by}, le`;
  return `histogram_quantile(${share}, ${rateBy(kept, `${metric}_bucket`, labels)})`;
}
