// The dashboard in Grafana's schema, with every metric of docs/metrics.md.

import t from 'tap';
import { literalsIn, tablesHeaded } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { compareWithTypes, toolsMissing } from '../system/tool-packages.js';

interface Panel {
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const text = readProjectFile('deploy/grafana/tollgate.json');
const dashboard = JSON.parse(text) as { readonly panels: readonly Panel[] };

t.test('every field is known to Grafana', { skip: toolsMissing }, async (t) => {
  const type = `import('@grafana/schema').Dashboard`;
  t.equal(compareWithTypes(t, [[type, dashboard]]), '');
  t.match(compareWithTypes(t, [[type, { ...dashboard, titel: 'Tollgate' }]]), /titel/, 'or would say so');
});

t.test('every metric of the services is in it', async (t) => {
  const metrics = tablesHeaded(readProjectFile('docs/metrics.md'), 'Metric').flatMap(({ rows }) =>
    rows.flatMap(([name = '']) => literalsIn(name)),
  );
  t.ok(metrics.length > 20);
  for (const metric of metrics) t.ok(text.includes(metric), metric);
});

t.test('no panels overlap', async (t) => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  t.equal(new Set(cells).size, cells.length);
  t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length, 'each has its id');
});
