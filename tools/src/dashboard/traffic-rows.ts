// The rows of the dashboard about requests.

import { type DashboardRow, EVERY_PROCESS, quantile, REQUESTS, rateBy } from './panels.js';

/** The share of requests that a service answered with an error of its own; 0 before the first. */
const errorShare = [
  `(${rateBy('job', `${REQUESTS}_count`, 'listener="public",status=~"5.."')}`,
  `or 0 * ${rateBy('job', `${REQUESTS}_count`, 'listener="public"')})`,
  `/ ${rateBy('job', `${REQUESTS}_count`, 'listener="public"')}`,
].join(' ');

/** What arrives and what becomes of it. */
export const trafficRows: readonly DashboardRow[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Processes that answer',
        description: 'Processes whose admin port Prometheus reaches.',
        unit: 'short',
        type: 'stat',
        queries: [[`sum by (job) (up{${EVERY_PROCESS}})`, '{{job}}']],
      },
      {
        title: 'Alerts that fire',
        description: 'Alerts of tollgate.rules.yml; docs/monitoring.md says what to do about each.',
        unit: 'short',
        type: 'stat',
        queries: [
          ['sum by (alertname) (ALERTS{alertname=~"Tollgate.+",alertstate="firing"})', '{{alertname}}'],
        ],
      },
      {
        title: 'Errors',
        description: 'Share of public requests that were answered with a status of 500 or more.',
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
        description: 'Public requests per second; what matches no route is `unmatched`.',
        unit: 'reqps',
        queries: [
          [rateBy('method, route', `${REQUESTS}_count`, 'listener="public"'), '{{method}} {{route}}'],
        ],
      },
      {
        title: 'Time of requests',
        description:
          'From the arrival of a public request to the end of its answer. Log-ins hash a password.',
        unit: 's',
        queries: [
          [quantile(0.5, REQUESTS, 'job', 'listener="public"'), '{{job}} median'],
          [quantile(0.99, REQUESTS, 'job', 'listener="public"'), '{{job}} 99 %'],
        ],
      },
      {
        title: '99 % of requests by route',
        description: 'The time within which 99 of 100 requests of a route are answered.',
        unit: 's',
        queries: [[quantile(0.99, REQUESTS, 'method, route', 'listener="public"'), '{{method}} {{route}}']],
      },
      {
        title: 'Readiness',
        description: 'Answers of /health/ready by status: 503 means that the process cannot serve.',
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
        title: 'Requests of other services',
        description: 'Requests to the admin ports, without health and metrics: host API, introspection.',
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
