// The Helm chart, rendered by Helm itself, and its manifests compared with the Kubernetes types.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';
import { compareWithTypes, helm, importTool } from '../system/tool-packages.js';

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: its form depends on the kind, and is checked by the Kubernetes types
  readonly spec: any;
  readonly data?: Readonly<Record<string, string>>;
}

/** The chart's services. */
export const SERVICES = ['session-service', 'challenge-service'] as const;

/** The minimal values. */
export const MINIMAL = { publicUrl: 'https://auth.example.com', existingSecret: 'tollgate' };

const peer = (namespace: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
});

/** Every option of the chart in use. */
export const FULL = {
  publicUrl: 'https://Auth.example.com:8443',
  existingSecret: 'tollgate',
  accessKeys: ['ACCESS_SECRET', 'ACCESS_SIGNING_KEYS'],
  adminKeys: ['SESSION_API_KEY', 'HOST_API_KEY'],
  secretRefs: {
    USERS_URL: { name: 'shop-database', key: 'url' },
    HOST_API_KEYS: { name: 'applications', key: 'keys' },
  },
  caCertificates: { configMap: 'authority', key: 'ca.pem' },
  trustProxy: '10.42.0.0/16',
  drainSeconds: 30,
  config: {
    ACCESS_TTL: '600',
    CAPTCHA_POW_DIFFICULTY: '17',
    CAPTCHA_PRESETS: '/presets/presets.json',
    CAPTCHA_ROUTES_PREFIX: 'challenges',
    RATE_LIMIT_POW: '120',
    USERS_BY_EMAIL: 'SELECT id, email, hash, disabled FROM users WHERE email = $1',
    USERS_BY_ID: 'SELECT id, email, hash, disabled FROM users WHERE id = $1',
  },
  session: {
    image: { repository: 'registry.example.com/session-service', digest: `sha256:${'a'.repeat(64)}` },
    autoscaling: { enabled: true, maxReplicas: 9 },
    volumes: [{ name: 'module', configMap: { name: 'directory' } }],
    volumeMounts: [{ name: 'module', mountPath: '/module', readOnly: true }],
  },
  challenge: {
    image: { repository: 'registry.example.com/challenge-service', tag: '1.2.3' },
    autoscaling: { enabled: true, targetCPUUtilizationPercentage: 50 },
    volumes: [{ name: 'presets', configMap: { name: 'presets' } }],
    volumeMounts: [{ name: 'presets', mountPath: '/presets', readOnly: true }],
  },
  imagePullSecrets: [{ name: 'registry' }],
  podAnnotations: { 'example.com/team': 'accounts' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'important',
  topologySpread: { keys: ['kubernetes.io/hostname'], whenUnsatisfiable: 'DoNotSchedule' },
  podDisruptionBudget: { maxUnavailable: '50%' },
  networkPolicy: {
    public: [peer('gateways')],
    applications: [{ ...peer('shop'), podSelector: { matchLabels: { app: 'shop' } } }],
    stores: { ports: [6380], to: [{ ipBlock: { cidr: '192.0.2.10/32' } }] },
    users: { ports: [5433], to: [{ ipBlock: { cidr: '192.0.2.20/32' } }] },
    sessionEgress: [
      { ports: [{ port: 443, protocol: 'TCP' }], to: [{ ipBlock: { cidr: '192.0.2.30/32' } }] },
    ],
  },
  ingress: {
    enabled: true,
    className: 'traefik',
    annotations: { 'example.com/a': 'b' },
    renewalAnnotations: { 'example.com/read-timeout': '5' },
    tlsSecretName: 'tls',
  },
  httpRoute: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] },
  podMonitor: { enabled: true, interval: '30s', labels: { release: 'monitoring' } },
  prometheusRule: { enabled: true, labels: { release: 'monitoring' } },
  dashboard: { enabled: true },
};

/** Runs Helm on the chart with values. @param command such as `lint` */
export function runHelm(
  t: Pick<Test, 'teardown'>,
  values: object,
  ...command: readonly string[]
): { readonly ok: boolean; readonly output: string; readonly errors: string } {
  const file = join(tempDir(t), 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return spawnHelm(t, ...command, CHART, '--values', file);
}

/** The folder of the chart. */
export const CHART = join(projectRoot, 'deploy', 'helm', 'tollgate');

/** Runs Helm. */
export function spawnHelm(
  t: Pick<Test, 'teardown'>,
  ...args: readonly string[]
): { readonly ok: boolean; readonly output: string; readonly errors: string } {
  const folder = tempDir(t);
  const env = {
    PATH: process.env.PATH,
    HELM_CACHE_HOME: folder,
    HELM_CONFIG_HOME: folder,
    HELM_DATA_HOME: folder,
  };
  const { status, stdout, stderr } = spawnSync(helm, args, { env, encoding: 'utf8' });
  return { ok: status === 0, output: stdout, errors: stderr };
}

/** Renders the chart. @throws Error with Helm's message if the values are rejected */
export async function render(t: Pick<Test, 'teardown'>, values: object): Promise<readonly Manifest[]> {
  const { ok, output, errors } = runHelm(t, values, 'template', 'auth', '--namespace', 'accounts');
  if (!ok) throw new Error(errors);
  const { parseAllDocuments } = await importTool('yaml/dist/index.js');
  const documents = parseAllDocuments(output, { uniqueKeys: true }) as readonly {
    readonly errors: readonly Error[];
    toJS(): Manifest | null;
  }[];
  for (const document of documents) if (document.errors[0] !== undefined) throw document.errors[0];
  return documents.flatMap((document) => document.toJS() ?? []);
}

/** The object of release `auth` with this rest of its name. */
export function named(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === `auth-tollgate${name}`);
  if (found === undefined) throw new Error(`no ${kind} auth-tollgate${name}`);
  return found;
}

/** The template of a service's pods. */
export function podOf(manifests: readonly Manifest[], service: string) {
  return named(manifests, 'Deployment', `-${service}`).spec.template;
}

/** The one container of a service's pods. */
export function containerOf(manifests: readonly Manifest[], service: string) {
  return podOf(manifests, service).spec.containers[0];
}

/** The package with an API's types. */
function packageOf(apiVersion: string): string {
  if (apiVersion.startsWith('monitoring.coreos.com/')) return '@kubernetes-models/prometheus-operator';
  if (apiVersion.startsWith('gateway.networking.k8s.io/')) return '@kubernetes-models/gateway-api';
  return 'kubernetes-models';
}

/** Mistakes that Kubernetes would reject: unknown and missing fields, wrong types and formats. */
export async function mistakesIn(
  t: Pick<Test, 'teardown'>,
  manifests: readonly Manifest[],
): Promise<string[]> {
  const types = compareWithTypes(
    t,
    manifests.map((manifest) => {
      const { apiVersion, kind } = manifest;
      return [`import('${packageOf(apiVersion)}/${apiVersion}').I${kind}`, manifest] as const;
    }),
  );
  const mistakes = types === '' ? [] : [types];
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest;
    const models = await importTool(`${packageOf(apiVersion)}/${apiVersion}/index.js`);
    try {
      new models[kind](manifest).validate();
    } catch (error) {
      mistakes.push(`${kind} ${manifest.metadata.name}: ${(error as Error).message}`);
    }
  }
  return mistakes;
}
