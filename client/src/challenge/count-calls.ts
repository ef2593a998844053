// Knows whether calls are under way.

export interface CallCount {
  readonly isZero: boolean;
  /** Counts a call until it has ended, well or badly. @returns the same */
  add<T>(call: Promise<T>): Promise<T>;
}

export function countCalls(): CallCount {
  let calls = 0;
  return {
    get isZero() {
      return calls === 0;
    },
    add(call) {
      calls += 1;
      return call.finally(() => {
        calls -= 1;
      });
    },
  };
}
