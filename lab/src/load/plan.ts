// What the load generator is told to do, and what it answers: plain data between two processes.

export interface LoadPlan {
  /** The same route of one or more servers; the connections are spread over them. */
  readonly urls: readonly string[];
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second over all connections. Without it, each connection sends as soon as it has its answer. */
  readonly rate?: number;
  /** Bodies of requests, each sent once; the load ends after the last. */
  readonly bodies?: readonly string[];
  /** A cookie for each connection, replaced by those that answers set. */
  readonly cookies?: readonly string[];
  /** Processes whose processor time is measured meanwhile. */
  readonly pids: Readonly<Record<string, number | readonly number[]>>;
}

export interface LoadResult {
  /** Answers with a status from 200 to 299. */
  readonly answered: number;
  /** Requests with another answer, or none. */
  readonly failures: number;
  /** How many answers had each status; 0 stands for none. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly seconds: number;
  /** Processor time of each name in `pids`. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  /** Times from sending a request, or from its waiting for a free connection, to its whole answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The cookies that the connections hold at the end. */
  readonly cookies: readonly string[];
}
