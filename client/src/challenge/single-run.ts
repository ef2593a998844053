// One piece of work under way at a time, which can be aborted.

export interface SingleRun {
  readonly isOn: boolean;
  /** Resolves when what is under way has ended or was aborted. */
  join(): Promise<void>;
  /**
   * Begins, when nothing is under way.
   * @param ended called with what the work failed with, or null; not after an abort
   * @returns as `join`
   */
  start(work: (signal: AbortSignal) => Promise<void>, ended: (failure: Error | null) => void): Promise<void>;
  abort(): void;
}

export function createSingleRun(): SingleRun {
  let current: { readonly controller: AbortController; done: Promise<void> } | null = null;
  return {
    get isOn() {
      return current !== null;
    },
    async join() {
      await current?.done;
    },
    start(work, ended) {
      const controller = new AbortController();
      const run = { controller, done: Promise.resolve() };
      const end = (failure: Error | null) => {
        if (current !== run) return;
        current = null;
        ended(failure);
      };
      current = run;
      run.done = work(controller.signal).then(() => end(null), end);
      return run.done;
    },
    abort() {
      current?.controller.abort();
      current = null;
    },
  };
}
