// The load generator's jobs and results: plain data between two processes.

export interface LoadPlan {
  /** The same route of one or more servers; the connections are spread over them. */
  readonly urls: readonly string[];
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second over all connections. Without it, each connection sends after its previous response. */
  readonly rate?: number;
  /** Request bodies, each sent once; the load ends after the last. */
  readonly bodies?: readonly string[];
  /** A cookie for each connection, replaced by those that responses set. */
  readonly cookies?: readonly string[];
  /** Processes whose processor time is measured meanwhile. */
  readonly pids: Readonly<Record<string, number | readonly number[]>>;
}

export interface LoadResult {
  /** Responses with a status from 200 to 299. */
  readonly answered: number;
  /** Requests with another response, or none. */
  readonly failures: number;
  /** The number of responses by status; 0 for none. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly seconds: number;
  /** Processor time of each name in `pids`. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Times from sending a request, or from its waiting for a free connection, to its complete response. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The connections' final cookies. */
  readonly cookies: readonly string[];
}
