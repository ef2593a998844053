// A browser environment for a session in Node: clocks that the test moves, events that it sends.
import { setImmediate as turn } from 'node:timers/promises';
import type { Test } from 'tap';
import { openSession } from '../../src/session/create-session.js';
import type { Environment } from '../../src/session/environment.js';
import type { Session, SessionOptions } from '../../src/session/session-options.js';

export interface SteeredSession {
  readonly session: Session;
  /** What `onExpired` told. */
  readonly expired: readonly string[];
  nowMs(): number;
  /** Lets the time pass, with every timer in its turn, each followed by all that it sets going. */
  pass(seconds: number): Promise<void>;
  /** Time that no timer sees and only the clock on the wall: the machine sleeps. */
  sleep(seconds: number): void;
  /** Somebody sets the clock on the wall. */
  setClock(bySeconds: number): void;
  /** An event of the window. */
  happen(type: string, more?: object): Promise<void>;
  /** Resolves when every request has been answered, and nothing is left to do without more time. */
  isQuiet(): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly work: () => void;
}

export interface SteerOptions extends SessionOptions {
  /** How much of the jitter is used; 0 unless said. */
  readonly chance?: number;
  /** Has requests that are not to be waited for: they are answered when the test says so. */
  readonly isOpenEnded?: boolean;
  readonly locks?: Environment['locks'];
  readonly openChannel?: Environment['openChannel'];
  /** None unless said: then nothing is known, and every session asks. */
  readonly openStorage?: Environment['openStorage'];
}

/** Opens a session whose time stands still until the test lets it pass. */
export function steerSession(
  t: Pick<Test, 'teardown'>,
  baseUrl: string,
  options: SteerOptions = {},
): SteeredSession {
  const { chance = 0, isOpenEnded = false, locks, ...others } = options;
  const { openChannel = () => undefined, openStorage = () => undefined, ...rest } = others;
  const timers = new Map<number, Timer>();
  const underWay = new Set<Promise<unknown>>();
  const expired: string[] = [];
  let wallMs = Date.UTC(2026, 7, 10);
  let monotonicMs = 0;
  let timerCount = 0;
  let react: (event: Event) => void = () => {};

  /** Whole answers only, so that nothing is on its way when none is under way. */
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
  const isQuiet = async () => {
    await turn();
    while (underWay.size > 0) {
      await Promise.all(underWay);
      await turn();
    }
  };
  const catchUp = () => (isOpenEnded ? turn() : isQuiet());
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
      locks,
      openChannel,
      openStorage,
      pageUrl: 'http://page.test/',
    },
  );
  session.onExpired((reason) => expired.push(reason));
  t.teardown(() => session.close());

  return {
    session,
    expired,
    nowMs: () => wallMs,
    async pass(seconds) {
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
    async happen(type, more) {
      react(Object.assign(new Event(type), more));
      await catchUp();
    },
    isQuiet,
  };
}
