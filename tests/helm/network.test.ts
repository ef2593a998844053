// Network access in the Helm chart: selectors, network policies, and the gateways' routes.

import { ChallengeEnvironment } from '@tollgate/challenge-service/config.js';
import { sessionPaths } from '@tollgate/tools/gateway/gateway.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { toolsMissing } from '../system/tool-packages.js';
import { containerOf, FULL, MINIMAL, named, podOf, render, SERVICES } from './chart.js';

const skip = toolsMissing;

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
  t.equal(rule.host, 'auth.example.com', 'without the port');
  interface Path {
    readonly path: string;
    readonly pathType: string;
    readonly backend: { readonly service: { readonly name: string } };
  }
  const routesOf = ({ http }: { readonly http: { readonly paths: readonly Path[] } }) =>
    http.paths.map(({ path, pathType, backend }) => {
      t.equal(pathType, 'Prefix');
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
