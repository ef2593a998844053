// The session service as a process of its own, on free ports and with its stores in a folder of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeProgram } from '@tollgate/shared/test/pid-namespace.js';
import { tempDir } from '@tollgate/shared/test/temp-dir.js';
import type { Test } from 'tap';

const SERVER = fileURLToPath(new URL('../../src/server.js', import.meta.url));

/** A service that listens. */
export interface SessionProcess {
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** The lines of its log so far. */
  readonly log: readonly string[];
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** A service that did not start. */
export interface StoppedProcess {
  readonly code: number | null;
  /** What it wrote to stderr, by lines. */
  readonly complaint: readonly string[];
}

/** Starts the service without challenges; `env` is added to what it needs. @param program starts Node */
export async function startSessionService(
  t: Pick<Test, 'teardown'>,
  env: Readonly<Record<string, string>>,
  { execPath, execArgv }: NodeProgram = { execPath: process.execPath, execArgv: [] },
): Promise<SessionProcess | StoppedProcess> {
  const folder = tempDir(t);
  const child = spawn(execPath, [...execArgv, SERVER], {
    env: {
      PATH: process.env.PATH,
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
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

/** The service, which has to have started. */
export async function startRunningService(
  t: Pick<Test, 'teardown'>,
  env: Readonly<Record<string, string>>,
  program?: NodeProgram,
): Promise<SessionProcess> {
  const service = await startSessionService(t, env, program);
  if ('adminUrl' in service) return service;
  throw new Error(`the service did not start: ${service.complaint.join('\n')}`);
}
