// A running system for the host examples, and a client that solves its challenges.

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import { type System, startSystem } from '@tollgate/tools/launcher/system.js';
import type { Test } from 'tap';
import { solve } from '../solving.js';
import { startServiceHere } from '../system/services-here.js';

/** The folder of the examples. */
export const examples = fileURLToPath(new URL('../../../docs/examples/', import.meta.url));

/** Settings that the services and a host with its own checks must share. */
export const shared = { CAPTCHA_TEST_MODE: 'true', CAPTCHA_POW_DIFFICULTY: '4', CAPTCHA_MIN_SECONDS: '0' };

export interface HostedSystem extends System {
  readonly hostKey: string;
  /** Variables of a host API client. */
  readonly hostEnvironment: Record<string, string>;
  /** The store, for a host with its own checks. */
  readonly storeUrl: string;
  /** The fields of solved work. @param address of the requesting client, by default this machine's */
  work(scope?: string, address?: string): Promise<{ pow_token: string; pow_nonce: string }>;
  /** The fields of a solved image. */
  image(): Promise<{ captcha_token: string; captcha: string }>;
}

interface Issued {
  readonly token: string;
  readonly salt: string;
  readonly difficulty: number;
  readonly answer: string;
}

/** Starts it with a key for the host `default`; stopped at the end of the test. */
export async function startHostedSystem(t: Test, environment: Environment = {}): Promise<HostedSystem> {
  const hostKey = randomBytes(24).toString('hex');
  const folder = t.testdir();
  const system = await startSystem({
    startService: startServiceHere,
    environment: {
      ...shared,
      DATA_DIR: folder,
      GATEWAY_PORT: '0',
      SESSION_PORT: '0',
      SESSION_ADMIN_PORT: '0',
      CHALLENGE_PORT: '0',
      CHALLENGE_ADMIN_PORT: '0',
      HOST_API_KEY: hostKey,
      ...environment,
    },
  });
  t.teardown(() => system.stop());
  const issue = async (path: string, address?: string) => {
    // The service trusts proxies on this machine; the gateway accepts no address from a client.
    const origin = address === undefined ? system.address : `http://127.0.0.1:${system.ports.challenge}`;
    const headers = address === undefined ? {} : { 'X-Forwarded-For': address };
    return (await (await fetch(`${origin}/api/captcha${path}`, { headers })).json()) as Issued;
  };
  return {
    ...system,
    hostKey,
    hostEnvironment: {
      HOST_API_KEY: hostKey,
      HOST_API_URL: `http://127.0.0.1:${system.ports.challengeAdmin}`,
    },
    storeUrl: environment.STORE_URL ?? `file:${folder}/tollgate.db`,
    async work(scope, address) {
      const path = scope === undefined ? '/pow' : `/pow?scope=${scope}`;
      const { token, salt, difficulty } = await issue(path, address);
      return { pow_token: token, pow_nonce: solve({ salt, difficulty }) };
    },
    async image() {
      const { token, answer } = await issue('');
      return { captcha_token: token, captcha: answer };
    },
  };
}
