// The pods of the Helm chart: few rights, and the services' own variables.

import { ChallengeEnvironment, readChallengeConfig } from '@tollgate/challenge-service/config.js';
import { readSessionConfig, SessionEnvironment } from '@tollgate/session-service/config.js';
import t from 'tap';
import { readProjectFile } from '../docs/project-file.js';
import { toolsMissing } from '../support/tool-packages.js';
import { containerOf, FULL, MINIMAL, named, podOf, render, SERVICES } from './chart.js';

const skip = toolsMissing;

t.test('a pod has no more rights than it needs, and time to stop', { skip }, async (t) => {
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
      t.equal(spec.enableServiceLinks, false, 'no Service can set a variable');
      const drain = Number(
        container.env.find(({ name }: { name: string }) => name === 'DRAIN_SECONDS').value,
      );
      t.ok(spec.terminationGracePeriodSeconds > drain + 20);
      const admin = { path: '/health/live', port: 'admin' };
      t.strictSame(container.startupProbe.httpGet, admin);
      t.strictSame(container.livenessProbe.httpGet, admin);
      t.strictSame(container.readinessProbe.httpGet, { ...admin, path: '/health/ready' });
      t.strictSame(named(manifests, 'Deployment', `-${service}`).spec.strategy.rollingUpdate, {
        maxUnavailable: 0,
        maxSurge: 1,
      });
    }
  }
});

t.test('a service is given the variables that it reads, and only its own secrets', { skip }, async (t) => {
  const manifests = await render(t, FULL);
  const schemas = { 'session-service': SessionEnvironment, 'challenge-service': ChallengeEnvironment };
  const secret = (variable: string) => {
    if (variable.endsWith('STORE') || variable === 'STORE_URL')
      return `redis://${variable.toLowerCase()}:6379`;
    if (variable === 'USERS_URL') return 'postgres://tollgate:password@db/shop';
    return `${variable}-0123456789-abcdefghijkl`.toLowerCase();
  };
  for (const service of SERVICES) {
    const { properties } = schemas[service];
    const given: readonly { name: string; value?: string; valueFrom?: { secretKeyRef: object } }[] =
      containerOf(manifests, service).env;
    for (const { name, value, valueFrom } of given) {
      t.ok(name in properties, name);
      const isSecret = properties[name as keyof typeof properties]?.secret === true;
      t.equal(value === undefined, isSecret, `${name} is ${isSecret ? 'a reference' : 'a value'}`);
      if (name === 'USERS_URL') t.strictSame(valueFrom?.secretKeyRef, { name: 'shop-database', key: 'url' });
      else if (isSecret) t.match(valueFrom?.secretKeyRef, { name: 'tollgate', key: name });
    }
    const names = given.map(({ name }) => name);
    t.equal(new Set(names).size, names.length, 'each once');
    // The challenges are on a store of their own, so that challenge-service needs no other.
    const secrets = Object.keys(properties).filter(
      (name) =>
        properties[name as keyof typeof properties]?.secret === true &&
        !(service === 'challenge-service' && name === 'STORE_URL'),
    );
    t.strictSame(
      secrets.filter((name) => !names.includes(name)),
      [],
    );
    for (const name of Object.keys(FULL.config)) t.equal(names.includes(name), name in properties, name);

    const environment = Object.fromEntries(given.map(({ name, value }) => [name, value ?? secret(name)]));
    if (service === 'challenge-service') environment.HOST_API_KEYS = `shop:${environment.HOST_API_KEYS}`;
    const { values } =
      service === 'session-service' ? readSessionConfig(environment) : readChallengeConfig(environment);
    t.match(values, { NODE_ENV: 'production', BIND: '0.0.0.0', ADMIN_BIND: '0.0.0.0' });
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

t.test('every secret can be elsewhere', async (t) => {
  const { properties } = JSON.parse(readProjectFile('deploy/helm/tollgate/values.schema.json'));
  const all = { ...SessionEnvironment.properties, ...ChallengeEnvironment.properties };
  const secrets = Object.entries(all).flatMap(([name, { secret }]) => (secret === true ? [name] : []));
  t.strictSame(properties.secretRefs.propertyNames.enum.toSorted(), secrets.sort());
});
