// Checks that somebody asks the services for their health, so that a gateway knows which processes serve.

import { reachableHost } from '@tollgate/shared/config';
import { exchange } from '../exchange.js';
import { type Finding, good, warning } from '../report.js';

/** What a process says about the questions for its health. */
export interface HealthQuestions {
  /** How long it runs, in seconds. */
  readonly runsForSeconds: number;
  /** How often it was asked for `/health/serving` or `/health/ready`. */
  readonly asked: number;
}

/** By service, of those whose metrics can be read. */
export type HealthCheckFacts = Readonly<Record<string, HealthQuestions>>;

const TIMEOUT_MS = 2000;
/** A process that is younger may not have been found yet. */
const YOUNG_SECONDS = 120;
/** A gateway that asks less often notices nothing in time. */
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
 * A warning for a process that is hardly ever asked: its gateway learns only from failed requests that it is gone.
 * @param isLocal whether the public address never leaves this machine, where `npm start` has one process of each
 */
export function diagnoseHealthChecks(facts: HealthCheckFacts, isLocal: boolean): Finding[] {
  const old = Object.entries(facts).filter(([, { runsForSeconds }]) => runsForSeconds >= YOUNG_SECONDS);
  if (isLocal || old.length === 0) return [];
  const unasked = old.filter(([, { runsForSeconds, asked }]) => asked < runsForSeconds / ASKED_EVERY_SECONDS);
  if (unasked.length === 0) return [good('health_checks', 'The health of the services is asked for.')];
  return [
    warning(
      'health_unasked',
      `Nobody regularly asks ${unasked.map(([service]) => service).join(' and ')} for /health/serving or /health/ready.`,
      'A gateway that does not ask sends requests to a process that stops or is frozen until they fail: let it ask for /health/serving on the port that it sends requests to, or see that it repeats what failed.',
    ),
  ];
}
