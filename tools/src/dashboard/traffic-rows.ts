// The dashboard's rows about requests.

import { type DashboardRow, EVERY_PROCESS, quantile, REQUESTS, rateBy } from './panels.js';

/** Share of requests with a 5xx response of the service itself; 0 before the first request. */
const errorShare = [
  `(${rateBy('job', `${REQUESTS}_count`, 'listener="public",status=~"5.."')}`,
  `or 0 * ${rateBy('job', `${REQUESTS}_count`, 'listener="public"')})`,
  `/ ${rateBy('job', `${REQUESTS}_count`, 'listener="public"')}`,
].join(' ');

/** Incoming requests and their results. */
export const trafficRows: readonly DashboardRow[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Reachable processes',
        description: 'Processes whose admin port Prometheus reaches.',
        unit: 'short',
        type: 'stat',
        queries: [[`sum by (job) (up{${EVERY_PROCESS}})`, '{{job}}']],
      },
      {
        title: 'Firing alerts',
        description: 'Alerts of tollgate.rules.yml; docs/monitoring.md has the remedies.',
        unit: 'short',
        type: 'stat',
        queries: [
          ['sum by (alertname) (ALERTS{alertname=~"Tollgate.+",alertstate="firing"})', '{{alertname}}'],
        ],
      },
      {
        title: 'Errors',
        description: 'Share of public requests with a 5xx response.',
        unit: 'percentunit',
        type: 'stat',
        queries: [[errorShare, '{{job}}']],
      },
    ],
  },
  {
    title: 'Traffic',
    panels: [
      {
        title: 'Requests by status',
        description: 'Public requests per second.',
        unit: 'reqps',
        queries: [[rateBy('job, status', `${REQUESTS}_count`, 'listener="public"'), '{{job}} {{status}}']],
      },
      {
        title: 'Requests by route',
        description: 'Public requests per second; `unmatched` without a route.',
        unit: 'reqps',
        queries: [
          [rateBy('method, route', `${REQUESTS}_count`, 'listener="public"'), '{{method}} {{route}}'],
        ],
      },
      {
        title: 'Request duration',
        description: 'Public requests until the end of the response. Logins hash a password.',
        unit: 's',
        queries: [
          [quantile(0.5, REQUESTS, 'job', 'listener="public"'), '{{job}} median'],
          [quantile(0.99, REQUESTS, 'job', 'listener="public"'), '{{job}} 99 %'],
        ],
      },
      {
        title: 'Request duration by route, p99',
        description: '99th percentile per route.',
        unit: 's',
        queries: [[quantile(0.99, REQUESTS, 'method, route', 'listener="public"'), '{{method}} {{route}}']],
      },
      {
        title: 'Readiness',
        description: 'Responses of /health/ready by status; 503: the process cannot serve.',
        unit: 'reqps',
        queries: [
          [
            rateBy(
              'job, instance, status',
              `${REQUESTS}_count`,
              'listener="admin",route="/health/ready",method="GET"',
            ),
            '{{instance}} {{status}}',
          ],
        ],
      },
      {
        title: 'Admin requests',
        description: 'Host API, introspection and administration, without health and metrics.',
        unit: 'reqps',
        queries: [
          [
            rateBy('route, status', `${REQUESTS}_count`, 'listener="admin",route!~"/health/.*|/metrics"'),
            '{{route}} {{status}}',
          ],
        ],
      },
    ],
  },
];
