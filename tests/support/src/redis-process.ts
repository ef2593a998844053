// Runs a Redis server as a child process; its arguments determine the kind of server.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.js';

const PROGRAMS = ['redis-server', 'valkey-server'];
const TRIES = 20;
const READY = /Ready to accept connections|Running mode=sentinel|\+monitor master/;

/** Arguments of every server. */
const BASE = ['--bind', '127.0.0.1', '--daemonize', 'no', '--loglevel', 'notice'];

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server on a free port; resolves when it accepts connections. */
export async function launchOnFreePort(
  argsFor: (port: number) => readonly string[],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = await freePort();
    const child = await launch(port, argsFor(port));
    if (child !== undefined) return { child, port };
  }
  throw new Error('no private Redis could be started');
}

/** Restarts a server on its previous port; resolves when it accepts connections. */
export async function launchAgain(port: number, args: readonly string[]): Promise<ChildProcess> {
  for (let tries = 0; tries < TRIES; tries++) {
    const child = await launch(port, args);
    if (child !== undefined) return child;
  }
  throw new Error(`Redis did not start again on port ${port}`);
}

/** Stops a server and waits for its exit. @param signal `SIGTERM` lets it save its data */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** The process once it accepts connections; undefined if it exited instead, as with a port in use. */
async function launch(port: number, args: readonly string[]): Promise<ChildProcess | undefined> {
  for (const program of PROGRAMS) {
    const child = spawn(program, [...args, '--port', String(port), ...BASE], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const outcome = await new Promise<'missing' | 'ended' | 'ready'>((resolve) => {
      child.once('error', () => resolve('missing'));
      child.once('exit', () => resolve('ended'));
      // The lines are read to the end, or a full pipe would stop the server.
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (READY.test(line)) resolve('ready');
      });
    });
    if (outcome === 'ended') return undefined;
    if (outcome === 'ready') {
      running.add(child);
      child.once('exit', () => running.delete(child));
      return child;
    }
  }
  throw new Error(`none of ${PROGRAMS.join(', ')} is installed`);
}
