// The Helm chart can be installed: Helm and Kubernetes accept it, and invalid values are rejected.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { dashboard } from '@tollgate/tools/dashboard/dashboard.js';
import { chartVariables } from '@tollgate/tools/docs/chart-variables.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { importTool, toolsMissing } from '../system/tool-packages.js';
import {
  CHART,
  containerOf,
  FULL,
  type Manifest,
  MINIMAL,
  mistakesIn,
  named,
  podOf,
  render,
  runHelm,
  SERVICES,
  spawnHelm,
} from './chart.js';

const skip = toolsMissing;

t.test('the files of the chart and the dashboard match the code (npm run docs)', async (t) => {
  t.same(JSON.parse(readProjectFile('deploy/helm/tollgate/files/variables.json')), chartVariables());
  t.same(JSON.parse(readProjectFile('deploy/grafana/tollgate.json')), dashboard());
});

t.test('a packaged chart has the dashboard and the rules, which are links here', { skip }, async (t) => {
  const folder = tempDir(t);
  const { ok, errors } = spawnHelm(t, 'package', CHART, '--destination', folder);
  t.ok(ok, errors);
  const [archive = ''] = readdirSync(folder);
  const unpacked = spawnSync('tar', ['-xzf', archive], { cwd: folder });
  t.equal(unpacked.status, 0);
  for (const [name, source] of [
    ['tollgate.json', 'deploy/grafana/tollgate.json'],
    ['tollgate.rules.yml', 'deploy/prometheus/tollgate.rules.yml'],
  ] as const)
    t.equal(readFileSync(join(folder, 'tollgate', 'files', name), 'utf8'), readProjectFile(source));
});

t.test('the chart has the project version', async (t) => {
  const { version } = JSON.parse(readProjectFile('package.json'));
  t.match(
    readProjectFile('deploy/helm/tollgate/Chart.yaml'),
    `\nversion: ${version}\nappVersion: ${version}\n`,
  );
});

t.test('helm lint has no findings', { skip }, async (t) => {
  for (const values of [MINIMAL, FULL]) {
    const { ok, output, errors } = runHelm(t, values, 'lint', '--strict');
    t.ok(ok, output + errors);
  }
});

t.test('every field is known to Kubernetes', { skip }, async (t) => {
  const [minimal, full] = [await render(t, MINIMAL), await render(t, FULL)];
  t.strictSame(await mistakesIn(t, [...minimal, ...full]), []);
  const kinds = (manifests: readonly Manifest[]) => new Set(manifests.map(({ kind }) => kind));
  t.strictSame([...kinds(minimal)].sort(), [
    'Deployment',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
    'ServiceAccount',
  ]);
  t.strictSame([...kinds(full)].filter((kind) => !kinds(minimal).has(kind)).sort(), [
    'ConfigMap',
    'HTTPRoute',
    'HorizontalPodAutoscaler',
    'Ingress',
    'PodMonitor',
    'PrometheusRule',
  ]);

  const broken = structuredClone(minimal) as Manifest[];
  containerOf(broken, 'session-service').livenessProbe.periodSecond = 3;
  podOf(broken, 'challenge-service').spec.terminationGracePeriodSeconds = 1.5;
  const mistakes = (await mistakesIn(t, broken)).join('\n');
  t.match(mistakes, /'"periodSecond"' does not exist/, 'an unknown field would be found');
  t.match(mistakes, /terminationGracePeriodSeconds must be integer/, 'and a wrong value');
});

t.test('session-service reads the named access token keys', { skip }, async (t) => {
  for (const [accessKeys, expected] of [
    [undefined, ['ACCESS_SECRET_FILE']],
    [
      ['ACCESS_SECRET', 'ACCESS_SIGNING_KEYS'],
      ['ACCESS_SECRET_FILE', 'ACCESS_SIGNING_KEYS_FILE'],
    ],
    [['ACCESS_SIGNING_KEYS'], ['ACCESS_SIGNING_KEYS_FILE']],
  ] as const) {
    const manifests = await render(t, { ...MINIMAL, ...(accessKeys && { accessKeys }) });
    const { env } = containerOf(manifests, 'session-service') as { env: { name: string }[] };
    const names = env.map(({ name }) => name).filter((name) => name.startsWith('ACCESS_S'));
    t.strictSame(names, expected);
  }
});

t.test('both services trust the certificates of an own authority', { skip }, async (t) => {
  const certificatesIn = (env: { name: string; value?: string }[]) =>
    env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
  for (const kind of ['secret', 'configMap'] as const) {
    const manifests = await render(t, { ...MINIMAL, caCertificates: { [kind]: 'authority' } });
    for (const service of SERVICES) {
      const { env, volumeMounts } = containerOf(manifests, service);
      const file = certificatesIn(env);
      const mount = volumeMounts.find(
        ({ mountPath }: { mountPath: string }) => file === `${mountPath}/ca.crt`,
      );
      const { volumes } = podOf(manifests, service).spec;
      const volume = volumes.find(({ name }: { name: string }) => name === mount.name);
      const source = {
        [kind === 'secret' ? 'secretName' : 'name']: 'authority',
        items: [{ key: 'ca.crt', path: 'ca.crt' }],
      };
      t.strictSame(volume[kind], source, `${service}, ${kind}`);
    }
  }
  const { env } = containerOf(await render(t, MINIMAL), 'session-service');
  t.equal(certificatesIn(env), undefined);
});

t.test('the rules and the dashboard are installed unchanged', { skip }, async (t) => {
  const manifests = await render(t, FULL);
  const { parse } = await importTool('yaml/dist/index.js');
  const rules = readProjectFile('deploy/prometheus/tollgate.rules.yml');
  t.strictSame(named(manifests, 'PrometheusRule', '').spec, parse(rules));
  const dashboard = named(manifests, 'ConfigMap', '-dashboard').data?.['tollgate.json'] ?? '';
  t.same(JSON.parse(dashboard), JSON.parse(readProjectFile('deploy/grafana/tollgate.json')));
});

t.test(
  'a release name of any length or with a digit first gave an invalid Service name',
  { skip },
  async (t) => {
    for (const release of ['a', 'tollgate', '1auth', 'accounts-production-eu-central-1-b', 'x'.repeat(53)]) {
      const { ok, output, errors } = runHelm(t, MINIMAL, 'template', release);
      t.ok(ok, errors);
      const names = [...output.matchAll(/^ {2}name: (\S+)$/gm)].map(([, name]) => name ?? '');
      const wrong = names.filter((name) => !/^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name));
      t.strictSame([wrong, names.length > 5], [[], true], release);
    }
  },
);

t.test('invalid values are rejected with a reason', { skip }, async (t) => {
  for (const [values, reason] of [
    [{}, /publicUrl/],
    [{ ...MINIMAL, publicUrl: 'auth.example.com' }, /publicUrl/],
    [{ ...MINIMAL, existingSecret: '' }, /existingSecret/],
    [{ ...MINIMAL, sesion: {} }, /sesion/],
    [{ ...MINIMAL, session: { replicas: 0 } }, /replicas/],
    [{ ...MINIMAL, config: { ACCESS_TTL: 600 } }, /ACCESS_TTL.*want string/],
    [{ ...MINIMAL, config: { ACCES_TTL: '600' } }, /ACCES_TTL is not a variable/],
    [{ ...MINIMAL, caCertificates: { secret: 'a', configMap: 'b' } }, /secret or configMap, not both/],
    [
      { ...MINIMAL, config: { ACCESS_TTL: 'abc' } },
      /config: ACCESS_TTL must be a whole number from 1 to 31536000, not "abc"/,
    ],
    [{ ...MINIMAL, config: { ACCESS_TTL: '0' } }, /ACCESS_TTL must be a whole number from 1/],
    [{ ...MINIMAL, config: { CAPTCHA_MIN_SECONDS: '-0.5' } }, /CAPTCHA_MIN_SECONDS must be a number/],
    [{ ...MINIMAL, config: { CAPTCHA_BIND_IP: 'yes' } }, /CAPTCHA_BIND_IP must be true or false, not "yes"/],
    [{ ...MINIMAL, config: { COOKIE_SAMESITE: 'none' } }, /COOKIE_SAMESITE must be one of strict, lax/],
    [
      { ...MINIMAL, config: { ACCESS_SECRET: 'a secret among the values' } },
      /ACCESS_SECRET is not a variable/,
    ],
    [{ ...MINIMAL, config: { BIND: '::' } }, /BIND is not a variable of the services, or the chart sets/],
    [{ ...MINIMAL, adminKeys: ['ACCESS_SECRET'] }, /adminKeys/],
    [{ ...MINIMAL, accessKeys: [] }, /accessKeys/],
    [{ ...MINIMAL, accessKeys: ['REFRESH_SECRET'] }, /accessKeys/],
    [{ ...MINIMAL, secretRefs: { ACCESS_SECRET: { name: 'other' } } }, /secretRefs/],
    [{ ...MINIMAL, ingress: { enabled: true } }, /ingress needs trustProxy/],
    [{ ...MINIMAL, httpRoute: { enabled: true } }, /httpRoute needs trustProxy/],
    [{ ...MINIMAL, trustProxy: '10.0.0.0/8', httpRoute: { enabled: true } }, /must name a Gateway/],
    [
      {
        ...MINIMAL,
        trustProxy: '10.0.0.0/8',
        publicUrl: 'https://a.example/auth',
        ingress: { enabled: true },
      },
      /ingress cannot strip the path/,
    ],
    [{ ...MINIMAL, networkPolicy: { stores: { ports: ['redis'], to: [] } } }, /ports/],
    [
      { ...MINIMAL, trustProxy: '10.0.0.0/8', publicUrl: 'https://192.0.2.1', ingress: { enabled: true } },
      /a route needs a host name/,
    ],
    [
      { ...MINIMAL, trustProxy: '10.0.0.0/8', publicUrl: 'https://[::1]:8443', ingress: { enabled: true } },
      /a route needs a host name/,
    ],
    [
      { ...MINIMAL, challenge: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } } },
      /challenge.autoscaling: minReplicas is above maxReplicas/,
    ],
  ] as const) {
    const { ok, errors } = runHelm(t, values, 'template', 'auth');
    t.notOk(ok, JSON.stringify(values));
    t.match(errors, reason);
  }
});
