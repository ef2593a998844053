// Browser environment for a session in Node: the test controls its clocks and dispatches its events.
import { setImmediate as turn } from 'node:timers/promises';
import type { Test } from 'tap';
import { openSession } from '../../src/session/create-session.js';
import type { Environment } from '../../src/session/environment.js';
import type { Session, SessionOptions } from '../../src/session/session-options.js';

export interface TestSession {
  readonly session: Session;
  /** Reasons reported by `onExpired` as definitive. */
  readonly expired: readonly string[];
  /** Reasons reported by `onExpired` as not definitive. */
  readonly losses: readonly string[];
  nowMs(): number;
  /** Advances both clocks; runs all due timers in order, and waits for their effects. */
  advance(seconds: number): Promise<void>;
  /** Simulates sleep: only the wall clock advances, and no timer runs. */
  sleep(seconds: number): void;
  /** Changes the wall clock. */
  setClock(bySeconds: number): void;
  /** Dispatches a window event. */
  dispatch(type: string, more?: object): Promise<void>;
  /** Resolves when every request has its response and only timers remain. */
  settled(): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly work: () => void;
}

export interface TestSessionOptions extends SessionOptions {
  /** Share of the jitter; 0 by default. */
  readonly chance?: number;
  /** Does not wait for requests: the test controls their responses. */
  readonly leavesRequestsOpen?: boolean;
  readonly isVisible?: Environment['isVisible'];
  readonly locks?: Environment['locks'];
  readonly openChannel?: Environment['openChannel'];
  /** No storage by default: without a hint every session sends a request. */
  readonly openStorage?: Environment['openStorage'];
}

/** Opens a session with stopped clocks, which the test advances. */
export function openTestSession(
  t: Pick<Test, 'teardown'>,
  baseUrl: string,
  options: TestSessionOptions = {},
): TestSession {
  const { chance = 0, leavesRequestsOpen = false, locks, ...others } = options;
  const { openChannel = () => undefined, openStorage = () => undefined, ...more } = others;
  const { isVisible = () => true, ...rest } = more;
  const timers = new Map<number, Timer>();
  const underWay = new Set<Promise<unknown>>();
  const expired: string[] = [];
  const losses: string[] = [];
  let wallMs = Date.UTC(2026, 7, 10);
  let monotonicMs = 0;
  let timerCount = 0;
  let react: (event: Event) => void = () => {};

  /** Resolves with complete responses only, so that nothing is in transit without a request in flight. */
  const fetchWhole: typeof fetch = (input, init) => {
    const answer = fetch(input, init).then(async (response) => {
      const { status, headers } = response;
      const bytes = await response.arrayBuffer();
      return new Response(status === 204 ? null : bytes, { status, headers });
    });
    const ended = answer.catch(() => {}).finally(() => underWay.delete(ended));
    underWay.add(ended);
    return answer;
  };
  const settled = async () => {
    await turn();
    while (underWay.size > 0) {
      await Promise.all(underWay);
      await turn();
    }
  };
  const catchUp = () => (leavesRequestsOpen ? turn() : settled());
  const moveBoth = (ms: number) => {
    wallMs += ms;
    monotonicMs += ms;
  };

  const session = openSession(
    { baseUrl, fetch: fetchWhole, ...rest },
    {
      nowMs: () => wallMs,
      monotonicMs: () => monotonicMs,
      random: () => chance,
      startTimer(work, ms) {
        timerCount += 1;
        timers.set(timerCount, { atMs: monotonicMs + ms, work });
        return timerCount;
      },
      stopTimer: (timer) => void timers.delete(timer),
      listen(listener, signal) {
        react = (event) => void (signal.aborted || listener(event));
      },
      isVisible,
      locks,
      openChannel,
      openStorage,
      loadProof: undefined,
      openFetch: () => fetch,
      pageUrl: 'http://page.test/',
    },
  );
  session.onExpired((reason, { definitive }) => (definitive ? expired : losses).push(reason));
  t.teardown(() => session.close());

  return {
    session,
    expired,
    losses,
    nowMs: () => wallMs,
    async advance(seconds) {
      const endMs = monotonicMs + seconds * 1000;
      for (;;) {
        await catchUp();
        const [next] = [...timers].sort(([, one], [, other]) => one.atMs - other.atMs);
        if (next === undefined || next[1].atMs > endMs) break;
        const [id, { atMs, work }] = next;
        timers.delete(id);
        moveBoth(Math.max(0, atMs - monotonicMs));
        work();
      }
      moveBoth(endMs - monotonicMs);
    },
    sleep: (seconds) => {
      wallMs += seconds * 1000;
    },
    setClock: (bySeconds) => {
      wallMs += bySeconds * 1000;
    },
    async dispatch(type, more) {
      react(Object.assign(new Event(type), more));
      await catchUp();
    },
    settled,
  };
}
