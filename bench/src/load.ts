// Puts load on one URL, and measures its cost for the process behind it.
import autocannon from 'autocannon';
import { cpuSeconds } from './cpu-time.js';

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sets up each connection, whose next request may depend on the last response. */
  readonly setupClient?: (client: autocannon.Client, at: number) => void;
  /** Returns the body of the next request. */
  readonly nextBody?: () => string;
  /** The process whose processor time is measured. */
  readonly pid: number;
}

export interface Cost {
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  /** The 99th percentile of the response times. */
  readonly p99Ms: number;
  /** Requests without a successful response. */
  readonly failures: number;
}

/** Runs the load for its whole time. */
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
