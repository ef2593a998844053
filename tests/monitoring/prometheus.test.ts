// A real Prometheus scrapes both services: every query of the dashboard finds data, and every alert rule its metrics.

import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { CHEAP, onRedis, type Site } from '../e2e/site.js';
import { type Prometheus, startPrometheus } from './prometheus-server.js';
import { breakStore, GATE, KEYS, SITE, visit } from './site-traffic.js';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}

const skip = process.env.PROMETHEUS === '' && 'Prometheus was not tested: it is not installed';

t.test('the dashboard and the alert rules', { skip }, (t) =>
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
