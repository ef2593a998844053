// Computes a deployment's requirements from the costs of its requests.
import type { OperationCost } from './costs.js';
import { LOG_IN, LOG_IN_WITHOUT_PASSWORD } from './operations.js';

/** Requests a second of each operation, by its name, and the lifetime of its stored data, in seconds. */
type Mix = Readonly<Record<string, { readonly perSecond: number; readonly keptSeconds?: number }>>;

/** The requirements of a mix. Cores are those of processor time, without headroom. */
interface Deployment {
  readonly sessionCores: number;
  readonly challengeCores: number;
  /** In applications, for the checks through their guard. */
  readonly applicationCores: number;
  readonly storeCores: number;
  readonly commandsPerSecond: number;
  /** To and from the store, in bytes a second. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly storedBytes: number;
  /** Bytes a second of responses. */
  readonly responseBytes: number;
}

const SERVED_BY: Readonly<Record<string, 'sessionCores' | 'challengeCores' | 'applicationCores'>> = {
  login: 'sessionCores',
  refresh: 'sessionCores',
  'verify, first use of a token': 'sessionCores',
  'verify, later use': 'sessionCores',
  logout: 'sessionCores',
  'issue of work': 'challengeCores',
  'issue of an image': 'challengeCores',
  'drawing of an image': 'challengeCores',
  'host verify': 'challengeCores',
  'check through the guard': 'applicationCores',
};

/** @throws RangeError for an operation of the mix without a cost */
export function deploymentFor(mix: Mix, costs: readonly OperationCost[]): Deployment {
  const needs = {
    sessionCores: 0,
    challengeCores: 0,
    applicationCores: 0,
    storeCores: 0,
    commandsPerSecond: 0,
    bytesIn: 0,
    bytesOut: 0,
    storedBytes: 0,
    responseBytes: 0,
  };
  for (const [name, { perSecond, keptSeconds = 0 }] of Object.entries(mix)) {
    const cost = costOf(name, costs);
    const server = SERVED_BY[name];
    if (cost === undefined || server === undefined) throw new RangeError(`no cost for ${name}`);
    needs[server] += (perSecond * cost.serviceMicros) / 1e6;
    needs.storeCores += (perSecond * cost.storeMicros) / 1e6;
    needs.commandsPerSecond += perSecond * cost.commandsSent;
    needs.bytesIn += perSecond * cost.bytesIn;
    needs.bytesOut += perSecond * cost.bytesOut;
    needs.storedBytes += perSecond * keptSeconds * Math.max(0, cost.storedBytes);
    needs.responseBytes += perSecond * cost.responseBytes;
  }
  return needs;
}

/** The store is measured with many concurrent requests, which passwords do not allow: there a command costs it less. */
function costOf(name: string, costs: readonly OperationCost[]): OperationCost | undefined {
  const cost = costs.find((one) => one.name === name);
  const busy = costs.find((one) => one.name === LOG_IN_WITHOUT_PASSWORD);
  if (name !== LOG_IN || cost === undefined || busy === undefined) return cost;
  return { ...busy, name, serviceMicros: cost.serviceMicros };
}

/** A million logins an hour; each session lives for two hours, with a refresh every quarter and 100 checked requests. */
const LOG_INS_PER_SECOND = 1e6 / 3600;
const WEEK_SECONDS = 604_800;
export const EXAMPLES: Readonly<Record<string, Mix>> = {
  'a million logins an hour': {
    'issue of work': { perSecond: 1.2 * LOG_INS_PER_SECOND, keptSeconds: 120 },
    'issue of an image': { perSecond: 0.1 * LOG_INS_PER_SECOND, keptSeconds: 120 },
    'drawing of an image': { perSecond: 0.1 * LOG_INS_PER_SECOND },
    login: { perSecond: LOG_INS_PER_SECOND, keptSeconds: WEEK_SECONDS },
    refresh: { perSecond: 8 * LOG_INS_PER_SECOND },
    'verify, first use of a token': { perSecond: 9 * LOG_INS_PER_SECOND },
    'verify, later use': { perSecond: 91 * LOG_INS_PER_SECOND },
    logout: { perSecond: 0.3 * LOG_INS_PER_SECOND },
  },
  '100,000 issues a second': {
    'issue of work': { perSecond: 100_000, keptSeconds: 120 },
    'check through the guard': { perSecond: 90_000, keptSeconds: 120 },
  },
};
