// A private Redis Cluster of one server that serves every slot: it refuses scripts whose keys lie apart.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Test } from 'tap';
import { closeStore, openStore, type RedisStore, storeTimeMs } from '../../src/store/open-store.js';
import { tempDir } from '../support/temp-dir.js';

const SLOTS = 16_384;

/** A store on the cluster, ready, and its address. */
export async function startCluster(t: Test): Promise<{ readonly store: RedisStore; readonly url: string }> {
  const port = await freePort();
  const server = spawn(
    'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', tempDir(t), '--save', ''],
      ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
      ...['--cluster-port', String(await freePort())],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  t.teardown(async () => {
    const exited = once(server, 'exit');
    if (server.kill('SIGKILL')) await exited;
  });
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('Ready to accept connections')) break;
  }
  server.stdout.resume();

  const admin = new Redis(port, '127.0.0.1');
  await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', String(SLOTS - 1));
  // A new master waits two seconds before it serves.
  while (!String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await pause(20);
  admin.disconnect();

  const url = `redis+cluster://127.0.0.1:${port}/`;
  const store = openStore(url, '.');
  if (store.kind !== 'redis') throw new TypeError('no address of a cluster');
  t.teardown(() => closeStore(store));
  await once(store.client, 'ready');
  await storeTimeMs(store);
  return { store, url };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  return address.port;
}
