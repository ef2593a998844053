// Memory of each service at rest, before and after load, and of an open connection.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@tollgate/tools/launcher/local-environment.js';
import { residentBytes } from '../cpu-time.js';
import { type Connection, openConnection } from '../load/connection.js';
import { openGenerator } from '../load/open-generator.js';
import { openRoutes, type Pace } from '../load/routes.js';
import { logIn } from '../log-in.js';
import type { Open } from '../opened.js';
import type { Report } from '../report/report.js';
import { startServer } from '../server-process.js';
import type { Site } from '../site.js';
import { type ServiceCopy, startCopy } from './service-copies.js';

const MEGABYTE = 1024 * 1024;
const BOUNDS: Readonly<Record<ServiceName, number>> = { 'session-service': 70, 'challenge-service': 90 };
/** Opened first: these pay for shared buffers and code. */
const FIRST_CONNECTIONS = 1_000;
const CONNECTIONS = 4_000;
const AT_ONCE = 100;
const LOAD_ROUNDS = 5;
/** Long enough for the collector to free the memory of the load. */
const REST_MS = 10_000;
const SETTLE_MS = 1_000;

export async function measureMemory(report: Report, open: Open, site: Site, pace: Pace): Promise<void> {
  report.say('\nresident memory');
  const services: [ServiceName, string][] = [
    ['session-service', '/profile'],
    ['challenge-service', '/api/captcha/pow'],
  ];
  const pidOf = (name: ServiceName) => site.system.processes[name].child.pid!;
  const read = () => services.map(([name]) => residentBytes(pidOf(name)) / MEGABYTE);
  const before = read();
  const generator = await open(openGenerator());
  const guarded = await open(startServer('guarded', { environment: site.environment }));
  const routes = openRoutes(site, guarded, await logIn(site, pace.connections), generator);
  for (let round = 0; round < LOAD_ROUNDS; round++) {
    for (const route of ['issue', 'verify', 'profile', 'refresh'] as const) await routes[route](pace);
  }
  const loaded = read();
  await sleep(REST_MS);
  const after = read();
  for (const [at, [name, path]] of services.entries()) {
    const copy = await open(startCopy(site, name));
    report.row(name, {
      'MB before load': before[at]!,
      'MB under load': loaded[at]!,
      'MB at rest after it': after[at]!,
      'kB a connection': (await connectionBytes(copy, path)) / 1024,
    });
    report.verdict(`${name}: memory at rest after load`, after[at]!, { atMost: BOUNDS[name] }, 'MB');
  }
}

/** Opens connections to a fresh process that each send one request and then stay open. @returns bytes for each */
async function connectionBytes({ url, pid }: ServiceCopy, path: string): Promise<number> {
  const target = new URL(path, url);
  const request = `GET ${path} HTTP/1.1\r\nhost: ${target.host}\r\n\r\n`;
  const openOne = async () => {
    const connection = await openConnection(target);
    await new Promise((resolve) => connection.send(request, resolve));
    return connection;
  };
  const openMany = async (count: number) => {
    const opened: Connection[] = [];
    while (opened.length < count)
      opened.push(...(await Promise.all(Array.from({ length: AT_ONCE }, openOne))));
    await sleep(SETTLE_MS);
    return opened;
  };
  const first = await openMany(FIRST_CONNECTIONS);
  const beforeBytes = residentBytes(pid);
  const others = await openMany(CONNECTIONS);
  const bytes = (residentBytes(pid) - beforeBytes) / CONNECTIONS;
  for (const connection of [...first, ...others]) connection.close();
  return bytes;
}
