// Widget runs: each returns one token, and one runs at a time.

/** Result of a run: a token and its identifier. */
export interface Received {
  readonly token: string;
  readonly key: string;
}

/** A run and the promise of its token. */
export interface Run {
  readonly id: number;
  readonly action: string | undefined;
  /**
   * True for a run of a single caller, which its first failure ends. Later callers join the other runs, which continue
   * after failures.
   */
  readonly isOwn: boolean;
  readonly received: Promise<Received>;
  resolve(received: Received): void;
  reject(error: unknown): void;
}

interface RunQueue {
  /** Current run; null if there is none. */
  readonly current: Run | null;
  readonly isEmpty: boolean;
  /** Adds a run, or returns one that the caller can join. */
  add(isOwn: boolean, action: string | undefined): Run;
  /** Starts the next run, unless one is running. @returns null if the queue is empty */
  begin(): Run | null;
  /** Ends the current run. */
  end(): void;
  /** Ends all runs, or only those of a single caller. */
  rejectAll(error: unknown, ownOnly?: boolean): void;
}

export function createRunQueue(): RunQueue {
  let current: Run | null = null;
  let waiting: Run[] = [];
  let runs = 0;

  function createRun(isOwn: boolean, action: string | undefined): Run {
    let resolve: Run['resolve'] = () => {};
    let reject: Run['reject'] = () => {};
    const received = new Promise<Received>((onToken, onError) => {
      resolve = onToken;
      reject = onError;
    });
    // Most callers wait for the callback instead.
    if (!isOwn) received.catch(() => undefined);
    runs += 1;
    return { id: runs, action, isOwn, received, resolve, reject };
  }

  return {
    get current() {
      return current;
    },
    get isEmpty() {
      return current === null && waiting.length === 0;
    },
    add(isOwn, action) {
      const joined = isOwn ? undefined : [current, ...waiting].find((run) => run?.isOwn === false);
      if (joined) return joined;
      const run = createRun(isOwn, action);
      waiting.push(run);
      return run;
    },
    begin() {
      current ??= waiting.shift() ?? null;
      return current;
    },
    end() {
      current = null;
    },
    rejectAll(error, ownOnly = false) {
      const all = current === null ? waiting : [current, ...waiting];
      const ended = all.filter(({ isOwn }) => isOwn || !ownOnly);
      waiting = waiting.filter((run) => !ended.includes(run));
      if (current !== null && ended.includes(current)) current = null;
      for (const run of ended) run.reject(error);
    },
  };
}
