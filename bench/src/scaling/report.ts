// Prints what was measured, and says whether it is within the bounds.
import type { AtRest, OperationCost } from './costs.js';
import { type Deployment, deploymentFor, EXAMPLES } from './deployment.js';
import { type Growth, MASTER_SHARE, PROCESS_SHARE } from './growth.js';

/** The least growth of throughput from one to the most machines, as a share of their number. */
const LEAST_GROWTH = 0.85;
/** How far a measured throughput may be from the one computed from the costs. */
const PREDICTION = { least: 0.7, most: 1.5 };
/** The keys that requests of different users may have in common. */
const KNOWN_HOT_KEYS: Readonly<Record<string, readonly string[]>> = { 'log-out': ['session:revoked'] };
/** A core that is used more than this leaves no room for peaks and for the end of a neighbour. */
const HEADROOM = 0.6;

const MEGABYTE = 1e6;

/** All that was measured. */
export interface ScalingResult {
  readonly costs: readonly OperationCost[];
  readonly atRest: AtRest;
  /** A log-out that several processes follow. */
  readonly followedLogOut: OperationCost;
  readonly masters: readonly Growth[];
  readonly processes: readonly Growth[];
}

export function printCosts(costs: readonly OperationCost[], atRest: AtRest): void {
  console.log(
    `${''.padEnd(30)}service µs  requests/core s  commands sent  executed  store µs  bytes in   out  stored  response`,
  );
  for (const cost of costs) console.log(costLine(cost));
  const { cpuMicros, commands, bytesIn, bytesOut } = atRest;
  console.log(
    `at rest, each second: ${commands.toFixed(0)} commands, ${cpuMicros.toFixed(0)} µs of the store, ${bytesIn.toFixed(0)} bytes in, ${bytesOut.toFixed(0)} out`,
  );
}

function costLine(cost: OperationCost): string {
  const failed = cost.failures === 0 ? '' : `  ${cost.failures} FAILED`;
  const hot = cost.hotKeys.length === 0 ? '' : `  touched by all: ${cost.hotKeys.join(', ')}`;
  return [
    cost.name.padEnd(30),
    cost.serviceMicros.toFixed(1).padStart(10),
    (1e6 / cost.serviceMicros).toFixed(0).padStart(17),
    cost.commandsSent.toFixed(2).padStart(15),
    cost.commandsExecuted.toFixed(1).padStart(10),
    cost.storeMicros.toFixed(1).padStart(10),
    cost.bytesIn.toFixed(0).padStart(10),
    cost.bytesOut.toFixed(0).padStart(6),
    cost.storedBytes.toFixed(0).padStart(8),
    cost.responseBytes.toFixed(0).padStart(10),
    failed,
    hot,
  ].join('');
}

export function printGrowth({ costs, followedLogOut, masters, processes }: ScalingResult): void {
  console.log(costLine({ ...followedLogOut, name: 'log-out, 4 processes follow' }));
  console.log(`masters with ${MASTER_SHARE} of a core each`);
  for (const growth of masters) printLine(growth, masters, predictMasters(growth, costs));
  console.log(`processes with ${PROCESS_SHARE} of a core each`);
  for (const growth of processes) printLine(growth, processes, predictProcesses(growth, costs));
}

function printLine(growth: Growth, all: readonly Growth[], predicted: number): void {
  const { operation, machines, requestsPerSecond, serviceMicros, storeMicros, used, failures } = growth;
  const shares = (list: readonly number[]) => list.map((share) => (share * 100).toFixed(1)).join(' / ');
  console.log(
    `${operation.padEnd(16)}${machines}: ${requestsPerSecond.toFixed(0)}/s, ${growthOf(growth, all).toFixed(2)} times one; computed ${predicted.toFixed(0)}/s; service ${serviceMicros.toFixed(1)} µs, store ${storeMicros.toFixed(1)} µs; used ${shares(used)} % of a core; commands ${shares(growth.commandShares)} %, keys ${shares(growth.keyShares)} %; ${failures} failed`,
  );
}

function growthOf({ operation, requestsPerSecond }: Growth, all: readonly Growth[]): number {
  const one = all.find((growth) => growth.operation === operation && growth.machines === 1);
  return requestsPerSecond / one!.requestsPerSecond;
}

const costOf = ({ operation }: Growth, costs: readonly OperationCost[]) =>
  costs.find(({ name }) => name === operation)!;

function predictMasters(growth: Growth, costs: readonly OperationCost[]): number {
  return (growth.machines * MASTER_SHARE * 1e6) / costOf(growth, costs).storeMicros;
}

function predictProcesses(growth: Growth, costs: readonly OperationCost[]): number {
  return (growth.machines * PROCESS_SHARE * 1e6) / costOf(growth, costs).serviceMicros;
}

export function printDeployments(costs: readonly OperationCost[]): void {
  for (const [name, mix] of Object.entries(EXAMPLES)) {
    console.log(`${name}, with cores used to ${HEADROOM * 100} % at most:`);
    for (const line of deploymentLines(deploymentFor(mix, costs))) console.log(`  ${line}`);
  }
}

function deploymentLines(needs: Deployment): string[] {
  const machines = (cores: number) => `${Math.ceil(cores / HEADROOM)} (${cores.toFixed(2)} cores busy)`;
  return [
    `session-service ${machines(needs.sessionCores)}, challenge-service ${machines(needs.challengeCores)}, guards ${machines(needs.applicationCores)}, masters ${machines(needs.storeCores)}`,
    `${needs.commandsPerSecond.toFixed(0)} commands a second, ${(needs.bytesIn / MEGABYTE).toFixed(1)} MB/s to the store, ${(needs.bytesOut / MEGABYTE).toFixed(1)} MB/s from it, ${(needs.storedBytes / 1e9).toFixed(2)} GB kept, ${(needs.responseBytes / MEGABYTE).toFixed(1)} MB/s of responses`,
  ];
}

/** Whether growth, prediction and the keys that requests share are within their bounds, and nothing failed. */
export function isKept({ costs, masters, processes }: ScalingResult): boolean {
  const grown = [masters, processes].flatMap((all) =>
    all.map((growth) => growthOf(growth, all) >= LEAST_GROWTH * growth.machines),
  );
  const predicted = [
    ...masters.map((growth) => growth.requestsPerSecond / predictMasters(growth, costs)),
    ...processes.map((growth) => growth.requestsPerSecond / predictProcesses(growth, costs)),
  ].map((ratio) => ratio >= PREDICTION.least && ratio <= PREDICTION.most);
  const spread = costs.map(({ name, hotKeys }) => {
    return hotKeys.every((key) => KNOWN_HOT_KEYS[name]?.includes(key));
  });
  const served = [...costs, ...masters, ...processes].map(({ failures }) => failures === 0);
  return [...grown, ...predicted, ...spread, ...served].every(Boolean);
}
