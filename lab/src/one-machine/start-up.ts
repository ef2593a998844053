// The time from the start of a process to its first response.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ANY_PORTS, settlePorts } from '@tollgate/tools/launcher/free-ports.js';
import { projectRoot, serviceNames } from '@tollgate/tools/launcher/local-environment.js';
import { programOf } from '@tollgate/tools/launcher/service-program.js';
import type { Report } from '../report/report.js';
import type { Site } from '../site.js';
import { firstAnswer, startCopy } from './service-copies.js';

const STARTS = 7;
const BOUNDS = { service: 300, all: 2_000 };

export async function measureStartUp(report: Report, site: Site): Promise<void> {
  report.say('\ntime from the start of a process to its first response');
  for (const name of serviceNames) {
    const times: number[] = [];
    for (let start = 0; start <= STARTS; start++) {
      const copy = await startCopy(site, name);
      await copy.close();
      if (start > 0) times.push(copy.startMs);
    }
    report.say(`${name} runs ${relative(projectRoot, programOf(name))}`);
    report.row(name, { ms: times });
    report.verdict(`${name}: first response`, times, { atMost: BOUNDS.service }, 'ms');
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  try {
    const times: number[] = [];
    // The first start creates secrets, accounts and stores.
    for (let start = 0; start <= STARTS; start++) {
      const ms = await startAll(folder);
      if (start > 0) times.push(ms);
    }
    report.row('npm start, the whole system', { ms: times });
    report.verdict('npm start: first response', times, { atMost: BOUNDS.all }, 'ms');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the system as a user does, on its embedded store. @returns milliseconds until the page is available */
async function startAll(folder: string): Promise<number> {
  const ports = await settlePorts(ANY_PORTS);
  const own = {
    DATA_DIR: folder,
    GATEWAY_PORT: `${ports.gateway}`,
    SESSION_PORT: `${ports.session}`,
    SESSION_ADMIN_PORT: `${ports.sessionAdmin}`,
    CHALLENGE_PORT: `${ports.challenge}`,
    CHALLENGE_ADMIN_PORT: `${ports.challengeAdmin}`,
  };
  const startedMs = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: projectRoot,
    env: { ...process.env, ...own },
    stdio: 'ignore',
    // A separate group: a signal to npm alone would not reach its child processes.
    detached: true,
  });
  await firstAnswer(`http://127.0.0.1:${ports.gateway}/`, () => child.exitCode === null);
  const ms = performance.now() - startedMs;
  await endGroup(child);
  return ms;
}

async function endGroup(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  process.kill(-child.pid!, 'SIGTERM');
  await ended;
}
