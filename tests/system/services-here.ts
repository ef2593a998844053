// Services in the test's process: a separate process costs each of them a second of processor time.

import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { openChallengeService } from '@tollgate/challenge-service/service.js';
import { openSessionService } from '@tollgate/session-service/service.js';
import { startService } from '@tollgate/shared/http';
import type { ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import type { ServiceOptions, ServiceProcess } from '@tollgate/tools/launcher/service-process.js';

const open = { 'session-service': openSessionService, 'challenge-service': openChallengeService };

/**
 * Starts a service here, for `startService` of a system. There is no separate process: use it for tests of responses; it
 * cannot move clocks or kill services.
 */
export function startServiceHere(
  name: ServiceName,
  { environment, logFile }: ServiceOptions,
): ServiceProcess {
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const file = openSync(logFile, 'w', 0o600);
  const output = { write: (line: string) => void writeSync(file, line) };
  let running = true;
  let complaint = '';
  let tellGone = () => {};
  const gone = new Promise<void>((resolve) => {
    tellGone = resolve;
  });
  const end = () => {
    running = false;
    closeSync(file);
    tellGone();
  };
  const started = open[name](environment, { output, run: startService });
  started.catch((error: Error) => {
    complaint = error.message;
    end();
  });
  return {
    name,
    child: { signalCode: 'SIGTERM', exitCode: null } as ChildProcess,
    gone,
    isRunning: () => running,
    errors: () => complaint,
    log: () => readFileSync(logFile, 'utf8'),
    async stop() {
      if (!running) return;
      await (await started).stop();
      end();
    },
  };
}
