// Clients send requests and never read the responses.
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defineDrill } from '../../drill.js';
import { onRedis } from '../../servers/redis.js';
import { launchServer } from '../../servers/server-process.js';

const CLIENTS = 50;
/** A write without progress closes its connection after 30 s. */
const CUT_OFF_MS = 45_000;
const PROGRAM = fileURLToPath(new URL('../../servers/connections.js', import.meta.url));

const findings: string[] = [];

export default defineDrill({
  name: 'deaf-clients',
  title: `${CLIENTS} clients send requests to one session service and never read an answer.`,
  open: onRedis(),
  async fault({ lab, sessions: [{ publicUrl, pid = 0 }] }) {
    const { hostname, port } = new URL(publicUrl);
    const before = socketsOf(pid);
    await launchServer(lab, {
      name: 'the deaf clients',
      program: process.execPath,
      args: [PROGRAM, 'deaf', hostname, port, String(CLIENTS)],
      ready: /connections are open/,
    });
    const deadlineMs = performance.now() + CUT_OFF_MS;
    const held = () => socketsOf(pid) - before;
    // The load itself opens and closes connections.
    while (held() > CLIENTS / 5 && performance.now() < deadlineMs) await sleep(500);
    if (held() > CLIENTS / 5) findings.push(`${held()} connections were not cut off`);
  },
  lastFailureMs: 0,
  mostFailures: 0,
  check: () => findings.splice(0),
});

/** Number of open sockets of a process. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      // It was closed meanwhile.
      return false;
    }
  }).length;
}
