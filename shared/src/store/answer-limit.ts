// One time limit for everything that a request waits for on stores that do not answer.

import { AsyncLocalStorage } from 'node:async_hooks';

/** How long a request waits in total for answers that do not come, in milliseconds. */
export const ANSWER_LIMIT_MS = 500;

/** What a request waits once its time is used up: another store may be well. */
const LEAST_MS = 50;

/** What is left of the time of one request. */
export interface AnswerLimit {
  leftMs: number;
}

const limits = new AsyncLocalStorage<AnswerLimit | undefined>();

/** Returns the limit of a request that begins. */
export function newAnswerLimit(): AnswerLimit {
  return { leftMs: ANSWER_LIMIT_MS };
}

/** Runs a function, and all that it starts, under the limit of its request. */
export function withAnswerLimit<T>(limit: AnswerLimit, run: () => T): T {
  return limits.run(limit, run);
}

/** Runs work that a request starts and does not wait for. */
export function withoutAnswerLimit<T>(run: () => T): T {
  return limits.run(undefined, run);
}

/**
 * Waits for an answer of a store, in a request no longer than the time that is left. An answer that comes uses up no time.
 * @throws Error if there is no time left; the answer is then ignored
 */
export async function waitForAnswer<T>(answer: Promise<T>): Promise<T> {
  const limit = limits.getStore();
  if (limit === undefined) return answer;
  const startMs = performance.now();
  try {
    // While no time is used up, the time limit of the store's client is enough.
    if (limit.leftMs === ANSWER_LIMIT_MS) return await answer;
    return await within(Math.max(limit.leftMs, LEAST_MS), answer);
  } catch (error) {
    limit.leftMs -= performance.now() - startMs;
    throw error;
  }
}

/**
 * Calls a function once everything that has arrived by now was read. A process that was held up for longer than a limit
 * runs its timers first, and would take an answer that waits in the socket for one that never came.
 */
export function onceArrived(call: () => void): void {
  setImmediate(call);
}

/**
 * Waits for a result at most `limitMs` milliseconds.
 * @throws Error after that time
 */
export async function within<T>(limitMs: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Error(`no answer within ${Math.round(limitMs)} ms`));
    timer = setTimeout(onceArrived, limitMs, fail);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
