// The whole examination, in its order: from outside, then with the service's environment.

import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import {
  type Environment,
  type EnvironmentLook,
  isServiceEnvironment,
  lookAtEnvironment,
} from './environment.js';
import type { Finding } from './finding.js';
import { diagnoseConfiguration } from './inside/configuration.js';
import { diagnoseReadiness } from './inside/readiness.js';
import { diagnoseStores } from './inside/stores.js';
import { diagnoseUsers } from './inside/users.js';
import { lookFromInside } from './inside.js';
import { diagnoseAddresses, knowsApart } from './outside/addresses.js';
import type { Account } from './outside/session-facts.js';
import { lookFromOutside, type OutsideLook } from './outside.js';
import type { Report } from './report.js';
import { createVisitor, type Visit } from './visitor.js';

/** What is examined. */
export interface Patient extends Visit {
  /** Who signs in; nobody when undefined. */
  readonly account: Account | undefined;
  /** Names of the fields of the proof of work. */
  readonly fields: CaptchaOptions['pow']['fields'];
  /** The variables that may hold the service's environment. */
  readonly env: Environment;
  /** Folder that relative paths of the environment start from. */
  readonly root: string;
}

/** Examines one installation. It ends what it starts, and writes nothing. */
export async function examine(patient: Patient): Promise<Report> {
  const { publicUrl, account, env, root } = patient;
  const visitor = createVisitor(patient);
  const outside = await lookFromOutside(visitor, patient);
  if (!isServiceEnvironment(env)) return concluded(publicUrl, outside);

  const { accessToken } = outside;
  const look = await lookAtEnvironment(env, root, { publicUrl, accessToken, email: account?.email });
  try {
    const inside = await lookFromInside(visitor, look, outside, env);
    return concluded(publicUrl, outside, { look, ...inside });
  } finally {
    await look.close();
  }
}

type Inside = { readonly look: EnvironmentLook } & Awaited<ReturnType<typeof lookFromInside>>;

function concluded(publicUrl: string, outside: OutsideLook, inside?: Inside): Report {
  const addresses = {
    ...outside.addresses,
    counted: inside?.counted,
    trustProxy: inside?.look.config === undefined ? undefined : (inside.look.config.values.TRUST_PROXY ?? []),
  };
  const findings: Finding[] = [...outside.findings, ...diagnoseAddresses(addresses)];
  const notLookedAt = [...outside.notLookedAt];
  if (addresses.plain.length > 0 && addresses.trustProxy?.length !== 0 && !knowsApart(addresses)) {
    notLookedAt.push(
      'Whether the gateway keeps clients apart: this machine has one address only that reaches it. Look at RateLimit-Remaining from two places.',
    );
  }
  if (inside === undefined) {
    notLookedAt.push('Secrets, stores and users: the environment of the session service is not here.');
    return { publicUrl, findings, notLookedAt };
  }
  const { look, readiness } = inside;
  findings.push(...diagnoseConfiguration(look.configuration));
  if (look.stores !== undefined) findings.push(...diagnoseStores(look.stores));
  if (look.users !== undefined) findings.push(...diagnoseUsers(look.users));
  findings.push(...diagnoseReadiness(readiness));
  if (look.config === undefined) {
    notLookedAt.push('Stores and users: the environment has to be mended first.');
  }
  return { publicUrl, findings, notLookedAt: [...notLookedAt, ...inside.notLookedAt] };
}
