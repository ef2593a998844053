// The Grafana dashboard, in Grafana's import format.

import { challengeRows } from './challenge-rows.js';
import type { DashboardPanel, DashboardRow } from './panels.js';
import { processRows } from './process-rows.js';
import { sessionRows } from './session-rows.js';
import { trafficRows } from './traffic-rows.js';

/** Grafana's columns, and the size of a panel. */
const COLUMNS = 24;
const PANEL = { w: 8, h: 8 };
const STAT = { w: 8, h: 4 };

const datasource = { type: 'prometheus', uid: `\${datasource}` };
const everything = { selected: true, text: 'All', value: '$__all' };

/** Returns the dashboard as an object for JSON. */
export function dashboard() {
  return {
    uid: 'tollgate',
    title: 'Tollgate',
    description: 'session-service and challenge-service. The metrics are described in docs/metrics.md.',
    tags: ['tollgate'],
    schemaVersion: 39,
    editable: true,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    // A shared crosshair, to compare one moment in all panels.
    graphTooltip: 1,
    annotations: { list: [] },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        choice('namespace', 'Namespace', 'label_values(up{job=~"tollgate-.+"}, namespace)'),
        choice(
          'instance',
          'Process',
          'label_values(up{job=~"tollgate-.+",namespace=~"$namespace"}, instance)',
        ),
      ],
    },
    panels: layOut([...trafficRows, ...challengeRows, ...sessionRows, ...processRows]),
  };
}

/** A dashboard variable; all values by default, which includes targets without the label. */
function choice(name: string, label: string, query: string) {
  return {
    name,
    label,
    type: 'query',
    datasource,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: everything,
  };
}

function layOut(rows: readonly DashboardRow[]) {
  const laidOut: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    laidOut.push({
      id: laidOut.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of panels) {
      const { w, h } = panel.type === 'stat' ? STAT : PANEL;
      if (x + w > COLUMNS) {
        x = 0;
        y += height;
      }
      laidOut.push({ id: laidOut.length + 1, ...drawn(panel), gridPos: { x, y, w, h } });
      x += w;
      height = h;
    }
    y += height;
  }
  return laidOut;
}

function drawn({ title, description, unit, queries, type }: DashboardPanel) {
  return {
    type: type ?? 'timeseries',
    title,
    description,
    datasource,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options:
      type === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, textMode: 'value_and_name' }
        : {
            legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
            tooltip: { mode: 'multi', sort: 'desc' },
          },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      expr,
      legendFormat,
      range: true,
    })),
  };
}
