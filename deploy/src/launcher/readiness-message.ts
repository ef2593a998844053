// The line for a person whose service is up but not ready: which store is away.
import { describeStoreUrl } from '@tollgate/shared/store/store-url.js';
import type { Environment, ServiceName } from './local-environment.js';

/**
 * Reads what `/health/ready` said and names what cannot be reached, without users and passwords, a line each. Nothing
 * when a service does without what is missing, and that is no store.
 */
export function explainUnready(
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
    const failed = Object.keys(checks).filter((check) => checks[check] !== 'ok');
    return { isServing: status === 'degraded', checks: failed };
  } catch {
    return undefined;
  }
}
