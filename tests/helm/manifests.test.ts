// The Helm chart's pods and network: minimal permissions, the services' own variables, selectors, policies and routes.
import {
  ChallengeEnvironment,
  environmentWith,
  readChallengeConfig,
} from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { readSessionConfig, SessionEnvironment } from '@tollgate/session-service/config.js';
import { fileVariableOf, secretVariablesOf } from '@tollgate/shared/config';
import { createSigningKey } from '@tollgate/shared/crypto';
import { sessionPaths } from '@tollgate/tools/gateway/gateway.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { toolsMissing } from '../system/tool-packages.js';
import { containerOf, FULL, type Manifest, MINIMAL, named, podOf, render, SERVICES } from './chart.js';

const skip = toolsMissing;

t.test('a pod has minimal permissions, and time to stop', { skip }, async (t) => {
  for (const values of [MINIMAL, FULL]) {
    const manifests = await render(t, values);
    for (const service of SERVICES) {
      const { spec } = podOf(manifests, service);
      const container = containerOf(manifests, service);
      t.match(spec.securityContext, {
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      t.strictSame(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      t.equal(spec.automountServiceAccountToken, false);
      t.equal(spec.enableServiceLinks, false, 'no Service can set variables');
      const drain = Number(
        container.env.find(({ name }: { name: string }) => name === 'DRAIN_SECONDS').value,
      );
      t.ok(spec.terminationGracePeriodSeconds > drain + 20);
      const deployment = named(manifests, 'Deployment', `-${service}`).spec;
      t.strictSame(deployment.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
      t.equal(deployment.minReadySeconds, 3, 'gateways find a new process before the next one stops');
    }
  }
});

interface Source {
  readonly secret: { readonly name: string; readonly items: readonly { key: string; path: string }[] };
}

/** The source of each secret's file, by variable, as `NAME/KEY`. */
function secretFilesOf(manifests: readonly Manifest[], service: string) {
  const { projected } = podOf(manifests, service).spec.volumes.find(
    ({ name }: { name: string }) => name === 'secrets',
  );
  const sources: readonly Source[] = projected.sources;
  const files = sources.flatMap(({ secret: { name, items } }) =>
    items.map(({ key, path }) => [path, `${name}/${key}`]),
  );
  return { mode: projected.defaultMode, files: Object.fromEntries(files) as Record<string, string> };
}

const extensions = await loadAllExtensions();
const challengeEnvironment = environmentWith(extensions);

t.test('a service gets the variables that it reads, and only its own secrets', { skip }, async (t) => {
  const manifests = await render(t, FULL);
  const schemas = { 'session-service': SessionEnvironment, 'challenge-service': challengeEnvironment };
  const secret = (variable: string) => {
    if (variable.endsWith('STORE') || variable === 'STORE_URL')
      return `redis://${variable.toLowerCase()}:6379`;
    if (variable === 'ACCESS_SIGNING_KEYS') return createSigningKey('ES256');
    if (variable === 'USERS_URL') return 'postgres://tollgate:password@db/shop';
    const value = `${variable}-0123456789-abcdefghijkl`.toLowerCase();
    return variable === 'HOST_API_KEYS' ? `shop:${value}` : value;
  };
  const elsewhere: Record<string, string> = {
    USERS_URL: 'shop-database/url',
    HOST_API_KEYS: 'applications/keys',
  };
  for (const service of SERVICES) {
    const schema = schemas[service];
    const { env: given, volumeMounts } = containerOf(manifests, service);
    // The challenges have their own store, so challenge-service uses no other.
    const secrets = secretVariablesOf(schema).filter(
      (name) => !(service === 'challenge-service' && name === 'STORE_URL'),
    );
    const { mode, files } = secretFilesOf(manifests, service);
    t.equal(mode, 0o440, 'readable only by the group of the pod');
    t.strictSame(
      files,
      Object.fromEntries(secrets.map((name) => [name, elsewhere[name] ?? `tollgate/${name}`])),
      'a file for each secret',
    );
    const { mountPath } = volumeMounts.find(({ name }: { name: string }) => name === 'secrets');
    const fileVariables = secrets.map((name) => [fileVariableOf(name), `${mountPath}/${name}`]);
    const environment: Record<string, string> = Object.fromEntries(
      given.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    t.equal(Object.keys(environment).length, given.length, 'each variable once');
    t.match(environment, Object.fromEntries(fileVariables));
    for (const [name, value] of Object.entries(environment)) {
      t.type(value, 'string');
      t.notOk(secrets.includes(name), `${name} is no secret`);
      const isOfNode = name === 'NODE_EXTRA_CA_CERTS';
      t.ok(
        isOfNode || name in schema.properties || secrets.some((each) => fileVariableOf(each) === name),
        name,
      );
    }
    for (const name of Object.keys(FULL.config))
      t.equal(name in environment, name in schema.properties, name);

    // The same files in a folder of this machine.
    const folder = t.testdir(Object.fromEntries(secrets.map((name) => [name, `${secret(name)}\n`])));
    const here = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace(mountPath, folder)]),
    );
    const { values } =
      service === 'session-service' ? readSessionConfig(here) : readChallengeConfig(here, extensions);
    t.match(values, { NODE_ENV: 'production', BIND: '0.0.0.0', ADMIN_BIND: '0.0.0.0' });
    for (const name of secrets) t.ok(values[name as keyof typeof values], `${name} is read`);
    const ports = containerOf(manifests, service).ports.map(
      ({ containerPort }: { containerPort: number }) => containerPort,
    );
    t.strictSame(
      ports,
      'SESSION_PORT' in values
        ? [values.SESSION_PORT, values.SESSION_ADMIN_PORT]
        : [values.CHALLENGE_PORT, values.CHALLENGE_ADMIN_PORT],
    );
  }
});

t.test('an admin port key is set only if the values name it', { skip }, async (t) => {
  const filesOf = async (values: object) => {
    const manifests = await render(t, { ...MINIMAL, ...values });
    return SERVICES.flatMap((service) => Object.entries(secretFilesOf(manifests, service).files)).filter(
      ([name]) => name.includes('API_KEY'),
    );
  };
  t.strictSame(await filesOf({}), []);
  t.strictSame(await filesOf({ adminKeys: ['HOST_API_KEY'] }), [['HOST_API_KEY', 'tollgate/HOST_API_KEY']]);
  const secretRefs = { SESSION_API_KEY: { name: 'other', key: 'k' } };
  t.strictSame(await filesOf({ secretRefs }), [['SESSION_API_KEY', 'other/k']]);
});

t.test('an unavailable store takes no pod out of its Service', { skip }, async (t) => {
  const manifests = await render(t, FULL);
  for (const service of SERVICES) {
    const { startupProbe, readinessProbe, livenessProbe } = containerOf(manifests, service);
    t.match(readinessProbe.httpGet, { path: '/health/serving', port: 'admin' }, 'ready until it stops');
    t.match(livenessProbe.httpGet, { path: '/health/live', port: 'admin' });
    t.match(
      startupProbe.httpGet,
      { path: '/health/ready', port: 'admin' },
      'started once its stores respond',
    );
    t.ok(startupProbe.timeoutSeconds > 1, 'a check of a store may take a second');
    t.ok(
      startupProbe.periodSeconds * startupProbe.failureThreshold >= 300,
      'a store may be unavailable for a while',
    );
  }
});

t.test('every secret can have another source', async (t) => {
  const { properties } = JSON.parse(readProjectFile('deploy/helm/tollgate/values.schema.json'));
  const all = { ...SessionEnvironment.properties, ...challengeEnvironment.properties };
  const secrets = Object.entries(all).flatMap(([name, { secret }]) => (secret === true ? [name] : []));
  t.strictSame(properties.secretRefs.propertyNames.enum.toSorted(), secrets.sort());
});

t.test('references to pods and services match them', { skip }, async (t) => {
  const manifests = await render(t, FULL);
  for (const service of SERVICES) {
    const { labels } = podOf(manifests, service).metadata;
    const selectors = [
      named(manifests, 'Deployment', `-${service}`).spec.selector.matchLabels,
      named(manifests, 'Service', `-${service}`).spec.selector,
      named(manifests, 'Service', `-${service}-admin`).spec.selector,
      named(manifests, 'PodDisruptionBudget', `-${service}`).spec.selector.matchLabels,
      named(manifests, 'NetworkPolicy', `-${service}`).spec.podSelector.matchLabels,
      podOf(manifests, service).spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) {
      t.match(labels, selector);
      t.equal(selector['app.kubernetes.io/component'], service, 'and not the other service');
    }
    const { scaleTargetRef } = named(manifests, 'HorizontalPodAutoscaler', `-${service}`).spec;
    t.equal(scaleTargetRef.name, named(manifests, 'Deployment', `-${service}`).metadata.name);
    t.notOk('replicas' in named(manifests, 'Deployment', `-${service}`).spec, 'the autoscaler alone decides');
    const [{ port: open }] = named(manifests, 'Service', `-${service}`).spec.ports;
    const [{ port: admin }] = named(manifests, 'Service', `-${service}-admin`).spec.ports;
    t.strictSame(containerOf(manifests, service).ports, [
      { name: 'public', containerPort: open },
      { name: 'admin', containerPort: admin },
    ]);
    const monitor = named(manifests, 'PodMonitor', '').spec;
    t.match(labels, monitor.selector.matchLabels);
    t.equal(monitor.podMetricsEndpoints[0].port, 'admin');
    const [{ replacement }] = monitor.podMetricsEndpoints[0].relabelings;
    const job = replacement.replace('$1', service);
    t.ok(readProjectFile('deploy/prometheus/prometheus.yml').includes(`job_name: ${job}\n`), job);
  }
});

t.test(
  'only monitoring and applications reach the admin ports, and a service only its stores',
  { skip },
  async (t) => {
    const manifests = await render(t, FULL);
    const rulesOf = (service: string) => named(manifests, 'NetworkPolicy', `-${service}`).spec;
    for (const service of SERVICES) {
      const { ingress, policyTypes } = rulesOf(service);
      t.strictSame(policyTypes, ['Ingress', 'Egress']);
      t.strictSame(
        ingress.map(({ ports }: { ports: readonly { port: string }[] }) => ports.map(({ port }) => port)),
        [['public'], ['admin']],
      );
      t.strictSame(ingress[0].from, FULL.networkPolicy.public);
      t.equal(ingress[1].from.length, 2);
      t.strictSame(ingress[1].from[1], FULL.networkPolicy.applications[0]);
    }
    const reached = (service: string) =>
      rulesOf(service).egress.map(
        ({ ports, to }: { ports: readonly { port: number }[]; to: readonly object[] }) => {
          t.ok(to.length > 0);
          return ports.map(({ port }) => port);
        },
      );
    t.strictSame(reached('session-service'), [[53, 53], [6380], [5433], [443]]);
    t.strictSame(reached('challenge-service'), [[53, 53], [6380]]);
    const without = await render(t, { ...MINIMAL, networkPolicy: { users: { ports: [], to: [] } } });
    const { egress } = named(without, 'NetworkPolicy', '-session-service').spec;
    t.strictSame(
      egress.map(({ ports }: { ports: readonly { port: number }[] }) => ports.map(({ port }) => port)),
      [
        [53, 53],
        [6379, 26379],
      ],
      'no port is no rule, not one for all ports',
    );
    const closed = await render(t, { ...MINIMAL, networkPolicy: { monitoring: [] } });
    t.equal(
      named(closed, 'NetworkPolicy', '-session-service').spec.ingress.length,
      1,
      'then it is unreachable',
    );
  },
);

t.test('the routes match the gateways', { skip }, async (t) => {
  const withPath = { ...FULL, ingress: { enabled: false }, publicUrl: 'https://www.example.com/auth/' };
  const wanted = [
    ['/challenges', 'auth-tollgate-challenge-service'],
    ...sessionPaths.map((path) => [path, 'auth-tollgate-session-service']),
  ];
  const renewals = ['/refresh/bind', '/refresh/renew'].map((path) => [path, 'auth-tollgate-session-service']);
  const caddyfile = readProjectFile('deploy/gateway/Caddyfile');
  t.ok(caddyfile.includes(`@sessions path ${sessionPaths.map((path) => `${path} ${path}/*`).join(' ')}\n`));
  const manifests = await render(t, FULL);
  const [rule] = named(manifests, 'Ingress', '').spec.rules;
  t.equal(rule.host, 'auth.example.com', 'without the port, in lower case');
  interface Path {
    readonly path: string;
    readonly pathType: string;
    readonly backend: { readonly service: { readonly name: string } };
  }
  const routesOf = ({ http }: { readonly http: { readonly paths: readonly Path[] } }) =>
    http.paths.map(({ path, pathType, backend }) => {
      t.equal(
        pathType,
        path.includes('.') ? 'ImplementationSpecific' : 'Prefix',
        'as ingress-nginx accepts it',
      );
      return [path, backend.service.name];
    });
  t.strictSame(routesOf(rule), wanted);
  const ofRenewals = named(manifests, 'Ingress', '-renewals');
  t.strictSame(routesOf(ofRenewals.spec.rules[0]), renewals);
  t.match(ofRenewals, {
    metadata: { annotations: { ...FULL.ingress.annotations, ...FULL.ingress.renewalAnnotations } },
  });

  interface Rule {
    readonly matches: readonly { readonly path: { readonly value: string } }[];
    readonly filters: readonly {
      readonly urlRewrite?: { readonly path: { readonly replacePrefixMatch: string } };
      readonly requestHeaderModifier?: { readonly remove: readonly string[] };
    }[];
    readonly timeouts?: { readonly request: string };
    readonly backendRefs: readonly { readonly name: string }[];
  }
  const inOrder = [...wanted.slice(0, 1), ...renewals, ...wanted.slice(1)];
  for (const [values, base] of [
    [FULL, ''],
    [withPath, '/auth'],
  ] as const) {
    const { rules } = named(await render(t, values), 'HTTPRoute', '').spec as { rules: readonly Rule[] };
    t.strictSame(
      rules.map(({ matches, backendRefs }) => [matches[0]?.path.value, backendRefs[0]?.name]),
      inOrder.map(([path, name]) => [`${base}${path}`, name]),
    );
    t.strictSame(
      rules.map(({ timeouts }) => timeouts?.request),
      inOrder.map((route) => (renewals.includes(route) ? '5s' : undefined)),
    );
    for (const [index, { filters }] of rules.entries()) {
      const [{ requestHeaderModifier } = {}] = filters;
      for (const name of ['Upgrade', 'HTTP2-Settings', 'X-Original-URL', 'X-Rewrite-URL', 'Forwarded'])
        t.ok(requestHeaderModifier?.remove.includes(name), `${name} is removed`);
      const rewritten = filters.find(({ urlRewrite }) => urlRewrite)?.urlRewrite?.path.replacePrefixMatch;
      t.equal(rewritten, base === '' ? undefined : inOrder[index]?.[0], 'the services see no base path');
    }
  }
  const plain = named(await render(t, { ...FULL, config: {} }), 'Ingress', '').spec.rules[0].http.paths[0];
  t.equal(plain.path, `/${ChallengeEnvironment.properties.CAPTCHA_ROUTES_PREFIX.default}`);
});
