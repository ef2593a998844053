// Puts load on one address, and says what it cost the process behind it.
import autocannon from 'autocannon';
import { cpuSeconds } from './cpu-time.js';

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sets up each connection: what it sends next may depend on what it was answered. */
  readonly setupClient?: (client: autocannon.Client, at: number) => void;
  /** Body of each next request. */
  readonly nextBody?: () => string;
  /** The process whose processor time is counted. */
  readonly pid: number;
}

export interface Cost {
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  /** Milliseconds that 99 % of the answers took at most. */
  readonly p99Ms: number;
  /** Answers that were no success. */
  readonly failures: number;
}

/** Runs the load to its end. */
export async function putLoadOn(load: Load): Promise<Cost> {
  const { url, connections, seconds, method = 'GET', headers = {}, setupClient, nextBody, pid } = load;
  let clients = 0;
  const startedCpu = cpuSeconds(pid);
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    method,
    headers: { ...headers },
    ...(nextBody === undefined
      ? {}
      : { requests: [{ setupRequest: (request) => ({ ...request, body: nextBody() }) }] }),
    setupClient: (client) => setupClient?.(client, clients++),
  });
  const usedCpu = cpuSeconds(pid) - startedCpu;
  const answered = result.requests.total;
  return {
    requestsPerSecond: result.requests.average,
    cpuMicrosPerRequest: (usedCpu * 1e6) / answered,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
