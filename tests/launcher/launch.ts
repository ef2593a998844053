// Runs the launcher as `npm start` does, in a separate process, and reads its output.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import type { Test } from 'tap';

/** The compiled launcher behind `npm start`. */
export const entry = fileURLToPath(new URL('../../../tools/dist/src/launcher/start.js', import.meta.url));
/** Any free ports. */
export const freePorts = {
  GATEWAY_PORT: '0',
  SESSION_PORT: '0',
  SESSION_ADMIN_PORT: '0',
  CHALLENGE_PORT: '0',
  CHALLENGE_ADMIN_PORT: '0',
};

interface Launched {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; out: string; err: string }>;
  /** Resolves with the address once it has been printed. */
  readonly address: Promise<string>;
}

/** Starts the launcher with only this environment; it stops with the test in any case. */
export function launch(t: Test, environment: Environment): Launched {
  const child = spawn(process.execPath, [entry], {
    env: { DATA_DIR: t.testdir(), ...freePorts, npm_lifecycle_event: 'start', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  const address = new Promise<string>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      out += text;
      const found = /Tollgate is open at +(\S+)\s.*Ctrl-C/s.exec(out)?.[1];
      if (found) resolve(found);
    });
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  );
  return { child, ended, address };
}
