// The line for a person whose service is up but not ready: which store is away.
import { describeStoreUrl } from '@tollgate/shared/store/store-url.js';
import type { Environment, ServiceName } from './settings.js';

/** Reads what `/health/ready` said and names what cannot be reached, without users and passwords, a line each. */
export function explainUnready(name: ServiceName, body: string, environment: Environment): string {
  const failed = failedChecks(body);
  if (failed === undefined) return `${name} is not ready: ${body}`;
  const lines = failed.flatMap((check) => {
    const variable = variableOf(name, check, environment);
    const url = variable && environment[variable];
    if (variable === undefined) return [`${name} is not ready: ${check}`];
    return [`${describeStoreUrl(url || 'The embedded store')} cannot be reached (${variable}).`];
  });
  return [...new Set(lines)].join('\n');
}

function variableOf(name: ServiceName, check: string, environment: Environment): string | undefined {
  const challengeStore = environment.CAPTCHA_CACHE_STORE ? 'CAPTCHA_CACHE_STORE' : 'STORE_URL';
  if (check === 'directory') return 'USERS_URL';
  if (check === 'challenge_store') return challengeStore;
  if (check === 'store') return name === 'session-service' ? 'STORE_URL' : challengeStore;
  return undefined;
}

function failedChecks(body: string): string[] | undefined {
  try {
    const { status, checks } = JSON.parse(body);
    if (status !== 'failed') return undefined;
    return Object.keys(checks).filter((check) => checks[check] !== 'ok');
  } catch {
    return undefined;
  }
}
