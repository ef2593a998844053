// The session service on free ports, with its stores in its own folder: as a separate process, or in the test process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startService } from '@tollgate/shared/http';
import type { NodeProgram } from '@tollgate/test-support/pid-namespace.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import type { Test } from 'tap';
import { openSessionService } from '../../src/service.js';

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/** A listening service. */
export interface SessionListener {
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** Its log lines so far. */
  readonly log: readonly string[];
}

/** A separate service process. */
interface SessionProcess extends SessionListener {
  /** Kills it. */
  kill(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** The service's required variables, without challenges. */
const environmentIn = (folder: string): Environment => ({
  DATA_DIR: folder,
  ACCESS_SECRET: 'access-secret-of-this-test-0123456789',
  REFRESH_SECRET: 'refresh-secret-of-this-test-0123456789',
  ENCRYPTION_KEY: 'encryption-key-of-this-test-0123456789',
  CHALLENGE_SECRET: 'challenge-secret-of-this-test-0123456789',
  PUBLIC_URL: 'http://localhost:8080',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  DRAIN_SECONDS: '0',
  CAPTCHA_POW_ENABLED: 'false',
  CAPTCHA_ESCALATION_AFTER: '100',
});

/**
 * Opens the service in this process, for tests of its responses: a separate process costs most of a second of processor
 * time.
 * @throws ConfigurationError with its lines when a variable or an address is wrong
 */
export async function openServiceHere(
  t: Pick<Test, 'teardown'>,
  env: Environment,
): Promise<SessionListener & { stop(): Promise<void> }> {
  const log: string[] = [];
  const { publicUrl, adminUrl, stop } = await openSessionService(
    { ...environmentIn(tempDir(t)), ...env },
    { output: { write: (line) => void log.push(line) }, run: startService },
  );
  t.teardown(() => stop());
  return { publicUrl, adminUrl, log, stop };
}

/** A service that failed to start. */
interface StoppedProcess {
  readonly code: number | null;
  /** Its lines on stderr. */
  readonly complaint: readonly string[];
}

/**
 * Starts the service without challenges; `env` is added to the required variables.
 * @param program starts Node
 * @param onStart called with the id of the started program
 */
export async function startSessionService(
  t: Pick<Test, 'teardown'>,
  env: Environment,
  { execPath, execArgv }: NodeProgram = { execPath: process.execPath, execArgv: [] },
  onStart: (pid: number) => void = () => {},
): Promise<SessionProcess | StoppedProcess> {
  const folder = tempDir(t);
  const child = spawn(execPath, [...execArgv, SERVER], {
    env: { PATH: process.env.PATH, ...environmentIn(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) onStart(child.pid);
  const log: string[] = [];
  const complaint: string[] = [];
  const urls: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => complaint.push(line));
  const closed = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  t.teardown(kill);
  // The admin port listens first.
  const listening = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line);
      const url = /Server listening at (http:\/\/[^"\s]+)/.exec(line)?.[1];
      if (url !== undefined) urls.push(url);
      if (urls.length === 2) resolve();
    });
  });
  await Promise.race([listening, closed]);
  const [adminUrl, publicUrl] = urls;
  if (adminUrl !== undefined && publicUrl !== undefined) return { adminUrl, publicUrl, log, kill };
  await closed;
  return { code: child.exitCode, complaint };
}

/** The service; throws if it failed to start. */
export async function startRunningService(
  t: Pick<Test, 'teardown'>,
  env: Environment,
  program?: NodeProgram,
): Promise<SessionProcess> {
  const service = await startSessionService(t, env, program);
  if ('adminUrl' in service) return service;
  throw new Error(`the service did not start: ${service.complaint.join('\n')}`);
}
