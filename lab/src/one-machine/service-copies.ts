// Further processes of a service, beside the system or alone.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import {
  completeForLocalUse,
  environmentFor,
  type ServiceName,
} from '@tollgate/tools/launcher/local-environment.js';
import { startService } from '@tollgate/tools/launcher/service-process.js';
import { nodeOptions } from '@tollgate/tools/launcher/service-program.js';
import { type NodeProgram, onCores } from '../cores.js';
import type { Site } from '../site.js';

export interface ServiceCopy {
  /** URL of its public listener. */
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first response. */
  readonly startMs: number;
  close(): Promise<void>;
}

const STOP_MS = 6_000;
const POLL_MS = 2;
/** Any status counts as a response; these require no token. */
const FIRST_REQUEST: Readonly<Record<ServiceName, string>> = {
  'challenge-service': '/api/captcha/pow',
  'session-service': '/profile',
};

/**
 * Starts a service process on a site's store.
 * @param cores to run on from the start; any by default
 * @param node the program of Node and its options; those of the launcher by default
 */
export async function startCopy(
  site: Site,
  name: ServiceName,
  cores?: readonly number[],
  node: NodeProgram = { path: process.execPath, options: nodeOptions },
): Promise<ServiceCopy> {
  const ports = await settlePorts(ANY_PORTS);
  const environment = environmentFor(name, completeForLocalUse(site.environment, ports));
  const logFile = join(site.environment.DATA_DIR!, `${name}-${randomBytes(4).toString('hex')}.log`);
  const startedMs = performance.now();
  const service = startService(name, { environment, logFile, node: onCores(node, cores) });
  const port = name === 'session-service' ? ports.session : ports.challenge;
  const url = `http://127.0.0.1:${port}`;
  await firstAnswer(`${url}${FIRST_REQUEST[name]}`, () => service.isRunning());
  const startMs = performance.now() - startedMs;
  return { url, pid: service.child.pid!, startMs, close: () => service.stop(STOP_MS) };
}

/** Repeats a request until there is a response. @throws Error if the server exits instead */
export async function firstAnswer(url: string, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await sleep(POLL_MS);
    }
  }
  throw new Error(`the server at ${url} has exited`);
}
