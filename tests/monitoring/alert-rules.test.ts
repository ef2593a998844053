// The alert rules with promtool: they are valid, and each fires when it should and stays silent otherwise.

import { spawnSync } from 'node:child_process';
import { listFiles } from '@tollgate/tools/docs/source-files.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t, { type Test } from 'tap';
import { anchorsOf } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';

const folder = 'deploy/prometheus';
const rules = readProjectFile(`${folder}/tollgate.rules.yml`);
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const cases = listFiles(`${folder}/tests`, /\.test\.yml$/);
const skip = process.env.PROMTOOL === '' && 'the alert rules were not tested: promtool is not installed';

t.test('the rules and the configuration are valid', { skip }, async (t) => {
  promtool(t, 'check', 'rules', '--lint=all', '--lint-fatal', `${folder}/tollgate.rules.yml`);
  promtool(t, 'check', 'config', '--lint=all', '--lint-fatal', `${folder}/prometheus.yml`);
});

t.test('the alerts fire when they should, and only then', { skip }, async (t) => {
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
  const anchors = anchorsOf(readProjectFile('docs/monitoring.md'));
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
});

function promtool(t: Test, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.env.PROMTOOL || 'promtool', args, {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  t.equal(status, 0, `promtool ${args[0]} ${args[1]}: ${stdout}${stderr}`);
}
