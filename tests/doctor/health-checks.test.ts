// Doctor on services without health checks.

import { diagnoseHealthChecks, probeHealthChecks } from '@tollgate/tools/doctor/inside/health-checks.js';
import t from 'tap';
import { complaints, sharedExaminedSystem } from './examined-system.js';

t.test('each health check of a process is counted', async (t) => {
  const { system, env, examine } = await sharedExaminedSystem();
  const { sessionAdmin, challengeAdmin } = system.ports;
  const ports = { 'session-service': sessionAdmin, 'challenge-service': challengeAdmin };
  const probe = () => probeHealthChecks('::', ports);
  const before = await probe();
  for (const path of ['live', 'serving', 'serving', 'ready']) {
    t.ok((await fetch(`http://127.0.0.1:${sessionAdmin}/health/${path}`)).ok);
  }
  const after = await probe();
  const more = (service: string) => (after[service]?.asked ?? 0) - (before[service]?.asked ?? 0);
  t.equal(more('session-service'), 3, 'all but the liveness check');
  t.equal(more('challenge-service'), 0);
  const { runsForSeconds = -1 } = after['session-service'] ?? {};
  // The service runs in this process, and reports its start time in seconds.
  t.ok(runsForSeconds > 0 && runsForSeconds <= process.uptime() + 1, `${runsForSeconds} s`);
  t.strictSame(await probeHealthChecks('127.0.0.1', { 'session-service': 1 }), {}, 'out of reach');
  t.strictSame(complaints(await examine({ env })), [], 'no checks are necessary on this machine');
});

t.test('services without health checks', async (t) => {
  const checks = (asked: number, runsForSeconds = 3600, isLocal = false) =>
    diagnoseHealthChecks(
      { 'session-service': { asked, runsForSeconds }, 'challenge-service': { asked: 3600, runsForSeconds } },
      isLocal,
    ).map(({ check, message }) => `${check}: ${message}`);
  t.strictSame(checks(3), [
    'health_unasked: No regular health checks reach session-service (/health/serving or /health/ready).',
  ]);
  t.strictSame(checks(60), ['health_checks: The services get health checks.']);
  t.strictSame(checks(0, 100), [], 'a service that has just started may get checks later');
  t.strictSame(checks(0, 3600, true), [], 'on one machine there is one process of each');
});
