// Waits until the services are ready, and reports why one is not.
import { setTimeout as sleep } from 'node:timers/promises';
import { describeStoreUrl } from '@tollgate/shared/store';
import { type Environment, type ServiceName, StartError } from './local-environment.js';
import type { ServiceProcess } from './service-process.js';

interface ReadinessTimeouts {
  /** Milliseconds for which a service may respond without being ready. */
  readonly unreadyMs: number;
  /** Milliseconds until a service must respond. */
  readonly silentMs: number;
}

const intervalMs = 50;
const unreadyIntervalMs = 500;
const requestTimeoutMs = 2_000;

/** After one service fails, time for the other to fail, too: both report a mistake in a shared variable. */
const otherFailureMs = 1_500;

/** A service to wait for. */
interface Candidate {
  readonly service: ServiceProcess;
  /** Responds with 200 when the service is ready. */
  readonly url: string;
  /** The message for a body with a failed check; undefined if the service counts as ready nevertheless. */
  explain(body: string): string | undefined;
}

/**
 * Resolves when every service is ready.
 * @throws {StartError} if a service has ended, does not respond in time, or is not ready in time; each line once
 */
export async function waitUntilAllReady(
  candidates: readonly Candidate[],
  timeouts: ReadinessTimeouts,
): Promise<void> {
  const lines = new Set<string>();
  const waits = candidates.map(async (candidate) => {
    try {
      await waitUntilReady(candidate, timeouts);
    } catch (error) {
      for (const line of (error as Error).message.split('\n')) lines.add(line);
      throw error;
    }
  });
  try {
    await Promise.all(waits);
  } catch {
    await Promise.race([Promise.allSettled(waits), sleep(otherFailureMs, undefined, { ref: false })]);
    throw new StartError([...lines].join('\n'));
  }
}

async function waitUntilReady(
  { service, url, explain }: Candidate,
  timeouts: ReadinessTimeouts,
): Promise<void> {
  const startedMs = performance.now();
  let unreadySinceMs: number | undefined;
  while (service.isRunning()) {
    const answer = await ask(url);
    if (answer?.status === 200 && !/"status":"degraded"/.test(answer.body)) return;
    const nowMs = performance.now();
    if (answer === undefined) {
      if (nowMs - startedMs > timeouts.silentMs) throw new StartError(`${service.name} does not respond.`);
    } else {
      const line = explain(answer.body);
      if (line === undefined) return;
      unreadySinceMs ??= nowMs;
      if (nowMs - unreadySinceMs > timeouts.unreadyMs) throw new StartError(line);
    }
    await sleep(answer === undefined ? intervalMs : unreadyIntervalMs);
  }
  throw new StartError(service.errors() || `${service.name} stopped while it was starting.`);
}

async function ask(url: string): Promise<{ status: number; body: string } | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(requestTimeoutMs) });
    return { status: response.status, body: await response.text() };
  } catch {
    return undefined;
  }
}

/**
 * Names each failed store in the body of `/health/ready`, without user and password, one per line. Undefined if the service
 * can serve despite the failed checks.
 */
export function readinessMessage(
  name: ServiceName,
  body: string,
  environment: Environment,
): string | undefined {
  const failed = failedChecks(body);
  if (failed === undefined) return `${name} is not ready: ${body}`;
  const lines = failed.checks.flatMap((check) => {
    const variable = variableOf(name, check, environment);
    const url = variable && environment[variable];
    if (variable === undefined) return failed.isServing ? [] : [`${name} is not ready: ${check}`];
    // A reachable directory may be rejected: a different one, or wrong statements.
    if (check === 'directory') {
      return [`${describeStoreUrl(url || 'The user file')} cannot be used (${variable}).`];
    }
    return [`${describeStoreUrl(url || 'The embedded store')} cannot be reached (${variable}).`];
  });
  return lines.length === 0 ? undefined : [...new Set(lines)].join('\n');
}

function variableOf(name: ServiceName, check: string, environment: Environment): string | undefined {
  const challengeStore = environment.CAPTCHA_CACHE_STORE ? 'CAPTCHA_CACHE_STORE' : 'STORE_URL';
  if (check === 'directory') return 'USERS_URL';
  if (check === 'challenge_store') return challengeStore;
  if (check === 'store') return name === 'session-service' ? 'STORE_URL' : challengeStore;
  return undefined;
}

function failedChecks(body: string): { isServing: boolean; checks: string[] } | undefined {
  try {
    const { status, checks } = JSON.parse(body);
    if (status !== 'failed' && status !== 'degraded') return undefined;
    const failed = Object.keys(checks).filter((check) => checks[check] === 'failed');
    return { isServing: status === 'degraded', checks: failed };
  } catch {
    return undefined;
  }
}
