// Both services in two versions on one store, as in the middle of a rollout.

import { join } from 'node:path';
import { type Answer, type Client, connectTo } from '@tollgate/tests/e2e/client.js';
import { solve, type Work } from '@tollgate/tests/solving.js';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import type { ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import {
  completeForLocalUse,
  type Environment,
  environmentFor,
} from '@tollgate/tools/launcher/local-environment.js';
import { waitUntilAllReady } from '@tollgate/tools/launcher/readiness.js';
import { type ServiceProcess, startService } from '@tollgate/tools/launcher/service-process.js';
import type { Test } from 'tap';
import type { ProgramOf } from './last-release.js';

/** The services of one version. */
export interface Version {
  readonly name: string;
  readonly session: Client;
  readonly sessionAdmin: Client;
  readonly challenge: Client;
  readonly challengeAdmin: Client;
  logs(): string;
  stop(): Promise<void>;
}

/** A session from its browser's view. */
interface Held {
  readonly cookie: string;
  readonly authorization: string;
}

export const HOST_API_KEY = 'host-key-of-the-side-by-side-test-0123456789';
export const SESSION_API_KEY = 'session-key-of-the-side-by-side-test-0123456789';

/** Starts both services of a version. @param program the program of a service; that of this version unless said */
export async function startVersion(
  t: Pick<Test, 'teardown'>,
  name: string,
  given: Environment & { readonly DATA_DIR: string },
  program?: ProgramOf,
): Promise<Version> {
  const ports = await settlePorts(ANY_PORTS);
  const environment = completeForLocalUse(given, ports);
  const start = async (service: ServiceName, adminPort: number) => {
    const started = startService(service, {
      environment: environmentFor(service, environment),
      logFile: join(given.DATA_DIR, 'logs', `${service}.${name}.log`),
      ...(program && { program: program(service) }),
    });
    t.teardown(() => started.stop(5_000));
    const url = `http://127.0.0.1:${adminPort}/health/ready`;
    const timeouts = { unreadyMs: 10_000, silentMs: 60_000 };
    await waitUntilAllReady([{ service: started, url, explain: (body) => body }], timeouts);
    return started;
  };
  const processes: ServiceProcess[] = await Promise.all([
    start('session-service', ports.sessionAdmin),
    start('challenge-service', ports.challengeAdmin),
  ]);
  const at = (port: number) => {
    const client = connectTo(`http://127.0.0.1:${port}`);
    t.teardown(() => client.close());
    return client;
  };
  return {
    name,
    session: at(ports.session),
    sessionAdmin: at(ports.sessionAdmin),
    challenge: at(ports.challenge),
    challengeAdmin: at(ports.challengeAdmin),
    logs: () => processes.map((each) => each.log()).join(''),
    async stop() {
      await Promise.all(processes.map((each) => each.stop(10_000)));
    },
  };
}

/** The solved fields of a proof of work, and its price. */
export async function issueWork({ challenge }: Version, ip: string, scope?: string) {
  const query = scope === undefined ? '' : `?scope=${encodeURIComponent(scope)}`;
  const { json } = await challenge.get(`/api/captcha/pow${query}`, { ip });
  return {
    bits: json.difficulty as number,
    fields: { pow_token: json.token, pow_nonce: solve(json as Work) },
  };
}

/** The fields of a solved image, and its address; requires the test mode. */
export async function issueImage({ challenge }: Version, ip: string) {
  const { json } = await challenge.get('/api/captcha', { ip });
  return {
    path: `/api/captcha/${json.token}.png`,
    fields: { captcha_token: json.token, captcha: json.answer },
  };
}

/** The data that a browser keeps of a token response. */
export function held({ status, text, json, cookies }: Answer): Held {
  if (status !== 200) throw new Error(`no tokens: ${status} ${text}`);
  return {
    cookie: cookies.find((text) => text.startsWith('refreshToken='))?.split(';')[0] ?? '',
    authorization: `Bearer ${json.accessToken}`,
  };
}
