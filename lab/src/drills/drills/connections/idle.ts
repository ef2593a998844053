// Thousands of clients connect and send nothing.
import { fileURLToPath } from 'node:url';
import { defineDrill } from '../../drill.js';
import type { Lab } from '../../servers/lab.js';
import { onRedis } from '../../servers/redis.js';
import { launchServer } from '../../servers/server-process.js';

const CONNECTIONS = 10_000;
const PROGRAM = fileURLToPath(new URL('../../servers/connections.js', import.meta.url));

export default defineDrill({
  name: 'idle-connections',
  title: '10,000 silent connections, half to the gateway, half to one session service.',
  open: onRedis(),
  async fault({ lab, target, sessions }) {
    await Promise.all([
      connectTo(lab, `http://127.0.0.1:${new URL(target.publicUrl).port}`),
      connectTo(lab, sessions[0].publicUrl),
    ]);
  },
  holdMs: 5_000,
  lastFailureMs: 0,
  mostFailures: 0,
});

async function connectTo(lab: Lab, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await launchServer(lab, {
    name: 'the idle clients',
    program: process.execPath,
    args: [PROGRAM, 'idle', hostname, port, String(CONNECTIONS / 2)],
    ready: /connections are open/,
  });
}
