// Reports the measurements, and compares them with the bounds.
import type { Report } from '../report/report.js';
import type { AtRest, OperationCost } from './costs.js';
import { deploymentFor, EXAMPLES } from './deployment.js';
import type { Growth, Shares } from './growth.js';

/** Minimum growth of throughput from one machine to several, as a share of their number. */
const LEAST_GROWTH = 0.85;
/** Minimum throughput, as a share of that computed from the costs, so that the computation does not promise too much. */
const LEAST_OF_COMPUTED = 0.8;
/** The keys that requests of different users may share. */
const KNOWN_HOT_KEYS: Readonly<Record<string, readonly string[]>> = { logout: ['session:revoked'] };
/** A core with more use than this has no room for peaks and the failure of a neighbour. */
const HEADROOM = 0.6;

const MEGABYTE = 1e6;
const GIGABYTE = 1e9;

/** Reports the common figures of all operations, and compares them with the bounds. */
export function reportRest(report: Report, costs: readonly OperationCost[], atRest: AtRest): void {
  report.row('at rest, a second, one of each service', {
    commands: atRest.commands,
    'µs of the store': atRest.cpuMicros,
    'bytes to the store': atRest.bytesIn,
    'bytes from it': atRest.bytesOut,
  });
  const shared = costs.flatMap(({ name, hotKeys }) =>
    hotKeys.filter((key) => !KNOWN_HOT_KEYS[name]?.includes(key)).map((key) => `${name}: ${key}`),
  );
  if (shared.length > 0) report.say(`keys that different users share: ${shared.join(', ')}`);
  report.verdict('keys that different users share, beside the log', shared.length, { atMost: 0 });
  const failures = costs.reduce((sum, cost) => sum + cost.failures, 0);
  report.verdict('failed requests while costs are measured', failures, { atMost: 0 });
}

export function reportCost(report: Report, cost: OperationCost): void {
  report.row(cost.name, {
    'service µs': cost.serviceMicros,
    'per core second': 1e6 / cost.serviceMicros,
    'commands sent': cost.commandsSent,
    executed: cost.commandsExecuted,
    'store µs': cost.storeMicros,
    'bytes in': cost.bytesIn,
    'bytes out': cost.bytesOut,
    'bytes stored': cost.storedBytes,
    'response bytes': cost.responseBytes,
  });
}

export function reportGrowth(report: Report, growth: Growth): void {
  const { operation, requestsPerSecond, serviceMicros, storeMicros, used } = growth;
  report.row(`${operation}, ${growth.machines} ${growth.kind}`, {
    'requests/s': requestsPerSecond,
    'service µs': serviceMicros,
    'store µs': storeMicros,
    '% of a core, each': used.map((share) => share * 100),
    '% of commands, each master': growth.commandShares.map((share) => share * 100),
    '% of keys, each master': growth.keyShares.map((share) => share * 100),
    failed: growth.failures,
  });
}

/** Compares the growth from one machine to the most, and each throughput with that expected from the costs. */
export function reportVerdicts(
  report: Report,
  all: readonly Growth[],
  costs: readonly OperationCost[],
  shares: Shares,
): void {
  for (const operation of new Set(all.map((growth) => growth.operation))) {
    const own = all.filter((growth) => growth.operation === operation);
    const [one, most] = [own[0]!, own.at(-1)!];
    const { kind, machines } = most;
    report.verdict(
      `${operation}, ${machines} ${kind} to one`,
      most.requestsPerSecond / one.requestsPerSecond,
      { atLeast: LEAST_GROWTH * machines },
    );
    const cost = costs.find(({ name }) => name === operation);
    if (cost === undefined) continue;
    const micros = kind === 'masters' ? cost.storeMicros : cost.serviceMicros;
    report.verdict(
      `${operation} on small ${kind}, measured to computed`,
      own.map((growth) => (growth.requestsPerSecond * micros) / (growth.machines * shares[kind] * 1e6)),
      { atLeast: LEAST_OF_COMPUTED },
    );
  }
  const failures = all.reduce((sum, growth) => sum + growth.failures, 0);
  report.verdict(`failed requests on small ${all[0]!.kind}`, failures, { atMost: 0 });
}

/** Computes the requirements of the documents' examples. */
export function reportExamples(report: Report, costs: readonly OperationCost[]): void {
  for (const [name, mix] of Object.entries(EXAMPLES)) {
    const needs = deploymentFor(mix, costs);
    const machines = (cores: number) => Math.ceil(cores / HEADROOM);
    report.row(`${name}: cores in use`, {
      'session-service': needs.sessionCores,
      'challenge-service': needs.challengeCores,
      guards: needs.applicationCores,
      store: needs.storeCores,
    });
    report.row(`${name}: processes, at ${HEADROOM * 100} % of a core`, {
      'session-service': machines(needs.sessionCores),
      'challenge-service': machines(needs.challengeCores),
      guards: machines(needs.applicationCores),
      masters: machines(needs.storeCores),
    });
    report.row(`${name}: traffic and memory`, {
      'commands/s': needs.commandsPerSecond,
      'MB/s to the store': needs.bytesIn / MEGABYTE,
      'MB/s from it': needs.bytesOut / MEGABYTE,
      'GB stored': needs.storedBytes / GIGABYTE,
      'MB/s of responses': needs.responseBytes / MEGABYTE,
    });
  }
}
