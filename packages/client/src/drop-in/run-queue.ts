// The runs of a widget: each brings one token, and one is under way at a time.

/** What a run brings: a token, and what names it. */
export interface Received {
  readonly token: string;
  readonly key: string;
}

/** A run, and who waits for its token. */
export interface Run {
  readonly id: number;
  readonly action: string | undefined;
  /**
   * Whether it is somebody's own: its token is for one caller, and its first failure ends it. Others are joined by whoever
   * asks meanwhile, and go on after failures.
   */
  readonly isOwn: boolean;
  readonly received: Promise<Received>;
  resolve(received: Received): void;
  reject(error: unknown): void;
}

export interface RunQueue {
  /** The run under way; null if there is none. */
  readonly current: Run | null;
  readonly isEmpty: boolean;
  /** Adds a run, or returns the one that can be joined. */
  add(isOwn: boolean, action: string | undefined): Run;
  /** Begins the next run, unless one is under way. @returns null if none waits */
  begin(): Run | null;
  /** Ends the run under way. */
  end(): void;
  /** Ends all runs, or only those of somebody's own. */
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
