// The cost of each operation, the growth of throughput with masters and processes, and the requirements of two deployments.
import { once } from 'node:events';
import { openStore } from '@tollgate/shared/store';
import { startRedisCluster } from '@tollgate/test-support/redis-cluster.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { measureCost, measureRest, type OperationCost } from '../scaling/costs.js';
import { startFleet } from '../scaling/fleet.js';
import { type Growth, growMasters, growProcesses, sharesOf } from '../scaling/growth.js';
import { LOG_OUT, OPERATIONS, type Operation } from '../scaling/operations.js';
import {
  reportCost,
  reportExamples,
  reportGrowth,
  reportRest,
  reportVerdicts,
} from '../scaling/report-scaling.js';
import { startServer } from '../server-process.js';

const MASTERS = [1, 2, 3];
const PROCESSES = [1, 2, 4];
/** Processes that follow the ended sessions, for the cost of a logout. */
const FOLLOWERS = 4;

const PARTS = ['costs', 'masters', 'processes'] as const;
const METHOD = `Costs: requests of different users and addresses, one kind after the other, on one Redis; processor time from /proc and INFO,
commands sent from MONITOR, commands executed, bytes and memory from INFO, less what idle processes cause.
Growth: each master, or each process, has a small share of a core, so that it saturates while this machine does not.
Arguments: ${PARTS.join(', ')} (default: all). Option: --small 1 (0.25 gives a quarter of the shares, beside other programs)`;

const OPTIONS = { small: { type: 'string', default: '1' } } as const;

const program: Program<typeof OPTIONS> = {
  title: 'cost of each operation for service and store, and growth of throughput with masters and processes',
  method: METHOD,
  options: OPTIONS,
  operands: PARTS,
  async run({ values, positionals }, report) {
    const wanted = (part: (typeof PARTS)[number]) => positionals.length === 0 || positionals.includes(part);
    const shares = sharesOf(Number(values.small));
    const costs = wanted('costs') ? await measureAllCosts(report) : [];
    if (wanted('masters')) {
      const grown: Growth[] = [];
      for (const count of MASTERS) {
        const each = await withClosing(async (onClose) =>
          growMasters(await startRedisCluster({ teardown: onClose }, { masters: count }), shares),
        );
        for (const growth of each) reportGrowth(report, growth);
        grown.push(...each);
      }
      reportVerdicts(report, grown, costs, shares);
    }
    if (wanted('processes')) {
      const grown: Growth[] = [];
      for (const count of PROCESSES) {
        const each = await withClosing(async (onClose) => {
          const redis = await startRedis({ teardown: onClose });
          return growProcesses({ url: redis.url, masters: [redis] }, count, shares);
        });
        for (const growth of each) reportGrowth(report, growth);
        grown.push(...each);
      }
      reportVerdicts(report, grown, costs, shares);
    }
    if (costs.length > 0) reportExamples(report, costs);
  },
};
export default program;

async function measureAllCosts(report: Report): Promise<readonly OperationCost[]> {
  const { costs, atRest } = await withClosing((onClose) =>
    measureCosts(onClose, 1, OPERATIONS, (cost) => reportCost(report, cost)),
  );
  reportRest(report, costs, atRest);
  await withClosing((onClose) =>
    measureCosts(onClose, FOLLOWERS, [LOG_OUT], (cost) =>
      reportCost(report, { ...cost, name: `logout, ${FOLLOWERS} processes follow` }),
    ),
  );
  return costs;
}

type OnClose = (close?: () => unknown) => void;

async function measureCosts(
  onClose: OnClose,
  processes: number,
  operations: readonly Operation[],
  onCost: (cost: OperationCost) => void,
) {
  const redis = await startRedis({ teardown: onClose });
  const fleet = await startFleet(redis.url, processes);
  onClose(() => fleet.close());
  const application = await startServer('guarded', { environment: fleet.environment });
  onClose(() => application.close());
  const store = openStore(redis.url, '.');
  onClose(() => store.close());
  if (store.kind === 'redis' && !store.isReady()) await once(store.client, 'ready');
  const ground = { fleet, application, store, storeUrl: redis.url };
  const atRest = await measureRest(redis);
  const costs: OperationCost[] = [];
  for (const operation of operations) {
    const cost = await measureCost(operation, ground, redis, atRest);
    onCost(cost);
    costs.push(cost);
  }
  return { costs, atRest };
}

/** Runs a task, then closes its resources, the last first. */
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
