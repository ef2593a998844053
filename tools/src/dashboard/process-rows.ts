// The dashboard's rows about stores and processes.

import { type DashboardRow, EVERY_PROCESS, of, quantile, rateBy } from './panels.js';

/** Dependencies and resources of both services. */
export const processRows: readonly DashboardRow[] = [
  {
    title: 'Stores',
    panels: [
      {
        title: 'Operations',
        description: 'Completed store operations.',
        unit: 'ops',
        queries: [
          [rateBy('job, store', 'tollgate_store_operation_duration_seconds_count'), '{{job}} {{store}}'],
        ],
      },
      {
        title: 'Operation duration',
        description: 'Round trip from process to store.',
        unit: 's',
        queries: [
          [
            quantile(0.5, 'tollgate_store_operation_duration_seconds', 'job, store'),
            '{{job}} {{store}} median',
          ],
          [
            quantile(0.99, 'tollgate_store_operation_duration_seconds', 'job, store'),
            '{{job}} {{store}} 99 %',
          ],
        ],
      },
      {
        title: 'Failures',
        description: 'Failed store operations; their requests got 503.',
        unit: 'ops',
        queries: [[rateBy('job, store', 'tollgate_store_failures_total'), '{{job}} {{store}}']],
      },
      {
        title: 'Clocks',
        description: 'Store clock minus process clock.',
        unit: 's',
        queries: [[of('tollgate_store_clock_offset_seconds'), '{{instance}} {{store}}']],
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'Processor',
        description: 'Processors in use; the event loop alone has one.',
        unit: 'short',
        queries: [
          [`rate(process_cpu_seconds_total{${EVERY_PROCESS}}[$__rate_interval])`, '{{job}} {{instance}}'],
        ],
      },
      {
        title: 'Memory',
        description: 'Resident memory and the heap in use.',
        unit: 'bytes',
        queries: [
          [`process_resident_memory_bytes{${EVERY_PROCESS}}`, '{{job}} {{instance}} resident'],
          [`nodejs_heap_size_used_bytes{${EVERY_PROCESS}}`, '{{job}} {{instance}} heap'],
        ],
      },
      {
        title: 'Event loop delay',
        description: '99th percentile.',
        unit: 's',
        queries: [[`nodejs_eventloop_lag_p99_seconds{${EVERY_PROCESS}}`, '{{job}} {{instance}}']],
      },
      {
        title: 'Garbage collection',
        description: 'Share of the time.',
        unit: 'percentunit',
        queries: [
          [
            `sum by (job, instance) (rate(nodejs_gc_duration_seconds_sum{${EVERY_PROCESS}}[$__rate_interval]))`,
            '{{job}} {{instance}}',
          ],
        ],
      },
      {
        title: 'Open files',
        description: 'Share of the limit, connections included.',
        unit: 'percentunit',
        queries: [
          [`process_open_fds{${EVERY_PROCESS}} / process_max_fds{${EVERY_PROCESS}}`, '{{job}} {{instance}}'],
        ],
      },
      {
        title: 'Uptime',
        description: 'Time since a process started.',
        unit: 's',
        queries: [[`time() - process_start_time_seconds{${EVERY_PROCESS}}`, '{{job}} {{instance}}']],
      },
    ],
  },
];
