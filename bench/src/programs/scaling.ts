// What each operation costs, how throughput grows with masters and processes, and what two deployments would need.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { openStore } from '@tollgate/shared/store/open-store.js';
import { startRedisCluster } from '@tollgate/shared/test/redis-cluster.js';
import { startRedis } from '@tollgate/shared/test/redis-server.js';
import type { Program } from '../program.js';
import { measureCost, measureRest, type OperationCost } from '../scaling/costs.js';
import { startFleet } from '../scaling/fleet.js';
import { type Growth, growMasters, growProcesses } from '../scaling/growth.js';
import { LOG_OUT, OPERATIONS } from '../scaling/operations.js';
import { isKept, printCosts, printDeployments, printGrowth } from '../scaling/report.js';
import { startServer } from '../server-process.js';

const MASTERS = [1, 2, 3];
const PROCESSES = [1, 2, 4];
/** Processes that follow the ended sessions, for the cost of a log-out. */
const FOLLOWERS = 4;

const program: Program = {
  title:
    'what each operation costs service and store, and how throughput grows with masters and processes (scaling -- --json)',
  async run(args) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
    const { costs, atRest } = await withClosing((onClose) => measureCosts(onClose, 1));
    printCosts(costs, atRest);
    const followed = await withClosing((onClose) => measureCosts(onClose, FOLLOWERS, [LOG_OUT]));
    const masters: Growth[] = [];
    for (const count of MASTERS) {
      masters.push(
        ...(await withClosing(async (onClose) =>
          growMasters(await startRedisCluster({ teardown: onClose }, { masters: count })),
        )),
      );
    }
    const processes: Growth[] = [];
    for (const count of PROCESSES) {
      processes.push(
        ...(await withClosing(async (onClose) => {
          const redis = await startRedis({ teardown: onClose });
          return growProcesses({ url: redis.url, masters: [redis] }, count);
        })),
      );
    }
    const result = { costs, atRest, followedLogOut: followed.costs[0]!, masters, processes };
    printGrowth(result);
    printDeployments(costs);
    if (values.json) console.log(JSON.stringify(result));
    return isKept(result);
  },
};
export default program;

type OnClose = (close?: () => unknown) => void;

async function measureCosts(onClose: OnClose, processes: number, operations = OPERATIONS) {
  const redis = await startRedis({ teardown: onClose });
  const fleet = await startFleet(redis.url, processes);
  onClose(() => fleet.close());
  const application = await startServer('guarded', [], fleet.environment);
  onClose(() => application.stop());
  const store = openStore(redis.url, '.');
  onClose(() => store.close());
  if (store.kind === 'redis' && !store.isReady()) await once(store.client, 'ready');
  const ground = { fleet, application, store, storeUrl: redis.url };
  const atRest = await measureRest(redis);
  const costs: OperationCost[] = [];
  for (const operation of operations) costs.push(await measureCost(operation, ground, redis, atRest));
  return { costs, atRest };
}

/** Runs something, then closes what it has opened, the last first. */
async function withClosing<T>(run: (onClose: OnClose) => Promise<T>): Promise<T> {
  const closers: (() => unknown)[] = [];
  try {
    return await run((close) => {
      if (close !== undefined) closers.unshift(close);
    });
  } finally {
    for (const close of closers) await close();
  }
}
