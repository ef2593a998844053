// Checks that the services get health checks, by which a gateway selects its processes.

import { reachableHost } from '@tollgate/shared/config';
import { exchange } from '../exchange.js';
import { type Finding, good, warning } from '../report.js';

/** Health checks received by a process. */
interface HealthQuestions {
  /** Uptime in seconds. */
  readonly runsForSeconds: number;
  /** Number of requests for `/health/serving` or `/health/ready`. */
  readonly asked: number;
}

/** By service; only services with readable metrics. */
type HealthCheckFacts = Readonly<Record<string, HealthQuestions>>;

const TIMEOUT_MS = 2000;
/** A younger process may not have been discovered yet. */
const YOUNG_SECONDS = 120;
/** With a longer interval a gateway detects failures too late. */
const ASKED_EVERY_SECONDS = 60;

/**
 * Reads the metrics of both services.
 * @param bind the address that the admin ports are bound to
 * @param ports the admin ports by service
 */
export async function probeHealthChecks(
  bind: string,
  ports: Readonly<Record<string, number>>,
): Promise<HealthCheckFacts> {
  const facts: Record<string, HealthQuestions> = {};
  for (const [service, port] of Object.entries(ports)) {
    const url = `http://${reachableHost(bind)}:${port}/metrics`;
    const { status, text } = await exchange('GET', url, { timeoutMs: TIMEOUT_MS });
    const [, startedAt] = /^process_start_time_seconds (\S+)$/m.exec(text) ?? [];
    if (status !== 200 || startedAt === undefined) continue;
    const counts = text.matchAll(
      /^tollgate_http_request_duration_seconds_count\{[^}]*route="\/health\/(?:serving|ready)"[^}]*\} (\d+)$/gm,
    );
    facts[service] = {
      runsForSeconds: Date.now() / 1000 - Number(startedAt),
      asked: [...counts].reduce((sum, [, count]) => sum + Number(count), 0),
    };
  }
  return facts;
}

/**
 * Warns of a process with hardly any health checks: its gateway learns of its end only from failed requests.
 * @param isLocal whether the public address is on this machine, where `npm start` has one process of each service
 */
export function diagnoseHealthChecks(facts: HealthCheckFacts, isLocal: boolean): Finding[] {
  const old = Object.entries(facts).filter(([, { runsForSeconds }]) => runsForSeconds >= YOUNG_SECONDS);
  if (isLocal || old.length === 0) return [];
  const unasked = old.filter(([, { runsForSeconds, asked }]) => asked < runsForSeconds / ASKED_EVERY_SECONDS);
  if (unasked.length === 0) return [good('health_checks', 'The services get health checks.')];
  return [
    warning(
      'health_unasked',
      `No regular health checks reach ${unasked.map(([service]) => service).join(' and ')} (/health/serving or /health/ready).`,
      'Without health checks, a gateway sends requests to a stopping or frozen process until they fail. Let it check /health/serving on the port of the requests, or retry failed requests.',
    ),
  ];
}
