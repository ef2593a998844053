// Queries of the Grafana dashboard, and the format of its panels and rows.

/** A dashboard panel. */
export interface DashboardPanel {
  readonly title: string;
  readonly description: string;
  /** Grafana's name of the unit. */
  readonly unit: string;
  /** PromQL with the series' legend. */
  readonly queries: readonly (readonly [expression: string, legend: string])[];
  /** Drawn as current values; by default as lines over time. */
  readonly type?: 'stat';
}

/** A titled group of panels. */
export interface DashboardRow {
  readonly title: string;
  readonly panels: readonly DashboardPanel[];
}

const CHOSEN = 'namespace=~"$namespace",instance=~"$instance"';
/** The request histogram. */
export const REQUESTS = 'tollgate_http_request_duration_seconds';
/** Matchers of the selected processes of both services, for metrics that other programs also have. */
export const EVERY_PROCESS = `job=~"tollgate-.+",${CHOSEN}`;

/** A metric of the selected processes. @param labels further matchers */
export const of = (metric: string, labels = '') => `${metric}{${labels === '' ? '' : `${labels},`}${CHOSEN}}`;
/** Its growth per second. */
export const rate = (metric: string, labels?: string) => `rate(${of(metric, labels)}[$__rate_interval])`;
/** The sum of these rates. @param by labels to keep apart */
export const rateBy = (by: string, metric: string, labels?: string) =>
  `sum by (${by}) (${rate(metric, labels)})`;

/** A histogram quantile. @param by labels to keep apart, none for one overall value */
export function quantile(share: number, metric: string, by = '', labels?: string): string {
  const kept = by === '' ? 'le' : `${by}, le`;
  return `histogram_quantile(${share}, ${rateBy(kept, `${metric}_bucket`, labels)})`;
}
