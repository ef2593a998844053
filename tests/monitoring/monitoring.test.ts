// Alert rules, dashboard and metrics: promtool accepts the rules, Grafana's schema the dashboard, and a real Prometheus that
// scrapes both services finds data for every query.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { listFiles } from '@tollgate/tools/docs/source-files.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { anchorsOf, literalsIn, tablesHeaded } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { CHEAP, onRedis, type Site } from '../e2e/site.js';
import { compareWithTypes, toolsMissing } from '../system/tool-packages.js';
import { type Prometheus, startPrometheus } from './prometheus-server.js';
import { breakStore, GATE, KEYS, SITE, visit } from './site-traffic.js';

const folder = 'deploy/prometheus';
const rules = readProjectFile(`${folder}/tollgate.rules.yml`);
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const cases = listFiles(`${folder}/tests`, /\.test\.yml$/);
const withoutPromtool =
  process.env.PROMTOOL === '' && 'the alert rules were not tested: promtool is not installed';

interface Panel {
  readonly id: number;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const text = readProjectFile('deploy/grafana/tollgate.json');
const dashboard = JSON.parse(text) as { readonly panels: readonly Panel[] };

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}

const withoutPrometheus = process.env.PROMETHEUS === '' && 'Prometheus was not tested: it is not installed';

t.test('the rules and the configuration are valid', { skip: withoutPromtool }, async (t) => {
  promtool(t, 'check', 'rules', '--lint=all', '--lint-fatal', `${folder}/tollgate.rules.yml`);
  promtool(t, 'check', 'config', '--lint=all', '--lint-fatal', `${folder}/prometheus.yml`);
});

t.test('the alerts fire when they should, and only then', { skip: withoutPromtool }, async (t) => {
  t.ok(cases.length > 0);
  promtool(t, 'test', 'rules', ...cases);
});

t.test('each alert has a case in which it fires, and none fires on a healthy day', async (t) => {
  const firing = cases.map(readProjectFile).join('');
  const healthy = readProjectFile(`${folder}/tests/healthy.test.yml`);
  t.notMatch(healthy, /exp_labels/);
  for (const alert of alerts) {
    t.match(
      firing,
      new RegExp(`alertname: ${alert}\\n +eval_time: \\w+\\n +exp_alerts:\\n +- exp_labels`),
      alert,
    );
    t.match(healthy, new RegExp(`alertname: ${alert}, eval_time: \\w+, exp_alerts: \\[\\]`), alert);
  }
});

t.test('each alert has a severity and a link to its remedy', async (t) => {
  const page = readProjectFile('docs/monitoring.md');
  const anchors = anchorsOf(page);
  const blocks = rules.split(/- alert: /).slice(1);
  t.equal(blocks.length, new Set(alerts).size);
  for (const block of blocks) {
    const [name = ''] = block.split('\n');
    t.match(block, /labels: \{ severity: (?:critical|warning) \}/, name);
    t.match(block, /summary: ".+\."/, name);
    t.ok(block.includes(`runbook: docs/monitoring.md#${name.toLowerCase()}\n`), name);
    t.ok(anchors.has(name.toLowerCase()), name);
  }
  const documented = [...anchors].filter((anchor) => /^tollgate[a-z]+$/.test(anchor));
  t.strictSame(
    documented.sort(),
    alerts.map((name) => name.toLowerCase()).sort(),
    'the list of alerts is complete',
  );
  const [, critical = ''] = /Page somebody for these:\n\n(.+)\n/.exec(page) ?? [];
  t.strictSame(
    [...critical.matchAll(/\(#(\w+)\)/g)].map(([, anchor]) => anchor),
    blocks
      .filter((block) => block.includes('severity: critical'))
      .map((block) => block.split('\n')[0]?.toLowerCase()),
    'the list of critical alerts is complete',
  );
});

function promtool(t: Test, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.env.PROMTOOL || 'promtool', args, {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  t.equal(status, 0, `promtool ${args[0]} ${args[1]}: ${stdout}${stderr}`);
}

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

t.test('the dashboard and the alert rules', { skip: withoutPrometheus }, (t) =>
  onRedis(t, { ...CHEAP, ...KEYS, ...SITE, ...GATE, CAPTCHA_ESCALATION_AFTER: '100' }, tests),
);

async function tests(t: Test, site: Site): Promise<void> {
  const prometheus = await startPrometheus(t, site.system.ports);
  const user = await site.newUser();
  await breakStore(site, user);
  // A rate requires an increase between two scrapes.
  await visit(site, user);
  await scraped(prometheus);
  await visit(site, user);
  await scraped(prometheus);

  await t.test('every query of the dashboard returns data', async (t) => {
    const { panels, templating } = JSON.parse(readProjectFile('deploy/grafana/tollgate.json')) as Dashboard;
    const queries = panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title, expr: fillIn(expr) })),
    );
    t.ok(queries.length > 40);
    await Promise.all(
      queries.map(async ({ title, expr }) => {
        t.notMatch(expr, /\$/, 'every variable was filled in');
        const found = await prometheus.query(expr);
        // An unused histogram has no quantile, which is NaN; at least one value must be a number.
        t.ok(
          found.some(({ value: [, value] }) => Number.isFinite(Number(value))),
          `${title}: ${expr}`,
        );
      }),
    );
    for (const { name, query } of templating.list) {
      if (typeof query === 'string') continue;
      const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query.query) ?? [];
      const values = await prometheus.labelValues(label, fillIn(selector));
      // Static targets have no namespace.
      t.equal(values.length, name === 'namespace' ? 0 : 2, query.query);
    }
  });

  await t.test('every alert rule can be evaluated, and its metrics exist with its labels', async (t) => {
    const rules = await prometheus.rules();
    t.ok(rules.length > 20);
    const selectors = new Set<string>();
    for (const { name, query, health } of rules) {
      t.equal(health, 'ok', name);
      const found = query.match(/\b(?:up|(?:tollgate|process|nodejs)_\w+)\b(?:\{[^}]*\})?/g) ?? [];
      t.ok(found.length > 0, name);
      for (const selector of found) selectors.add(selector);
    }
    await Promise.all(
      [...selectors].map(async (selector) => {
        const [sample] = await prometheus.query(`count(last_over_time(${selector}[5m]))`);
        t.ok(sample !== undefined, selector);
      }),
    );
  });

  await t.test('an alert fires for a real condition, and names the process', async (t) => {
    const rules = await prometheus.rules();
    const firing = (name: string) => rules.find((rule) => rule.name === name)?.alerts ?? [];
    t.match(firing('TollgateTestMode'), [{ state: 'firing' }, { state: 'firing' }]);
    t.match(
      firing('TollgateTestMode')[0]?.annotations.summary,
      /^tollgate-\w+-service at 127\.0\.0\.1:\d+ reveals/,
    );
    t.match(firing('TollgateKeyRefused'), [{ state: 'firing' }, { state: 'firing' }]);
    t.strictSame(firing('TollgateServiceMissing'), []);
    t.strictSame(firing('TollgateServiceDown'), []);
  });
}

/** A dashboard query as Grafana sends it with all values selected. */
function fillIn(query: string): string {
  return query.replaceAll('$__rate_interval', '1m').replace(/\$(?:namespace|instance)\b/g, '.*');
}

/** Resolves when both services have been scraped after now, and all rules evaluated after that. */
async function scraped(prometheus: Prometheus): Promise<void> {
  const evaluatedAfter = async (seconds: number) =>
    (await prometheus.rules()).every(({ lastEvaluation }) => Date.parse(lastEvaluation) / 1000 > seconds);
  const scrapedAfter = async (seconds: number) => {
    const times = await prometheus.query('timestamp(up)');
    return times.length === 2 && times.every(({ value: [, time] }) => Number(time) > seconds);
  };
  for (const happened of [scrapedAfter, evaluatedAfter]) {
    const now = Date.now() / 1000;
    while (!(await happened(now))) await sleep(100);
  }
}
