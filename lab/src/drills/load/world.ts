// What the actors of the load act with: the addresses, the ledger, and one way to ask that records what came.

import type { Random } from '../../random.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Exchange } from '../ledger/timeline.js';
import type { Answer, HttpClient, Sent } from './http-client.js';
import type { SolvedWork } from './solve-work.js';

/** Where the system under load is, and who uses it. */
export interface Target {
  /** The address that browsers see. */
  readonly publicUrl: string;
  /** The host API of each challenge service, and its key. */
  readonly hostApiUrls: readonly string[];
  readonly hostApiKey: string;
  /** Email addresses of accounts that can log in. */
  readonly people: readonly string[];
  /** The password of all of them. */
  readonly password: string;
}

/** The world of the actors. */
export interface World extends Target {
  readonly ledger: Ledger;
  readonly random: Random;
  /** Work that was fetched and solved, and that nobody has offered; the oldest first. */
  readonly stock: SolvedWork[];
  /** People who are signing in: two attempts at once would each count as a failure for the other. */
  readonly signingIn: Set<string>;
  /** People of whose last login nobody knows whether it counts as a failure. */
  readonly interrupted: Set<string>;
  /**
   * Sends a request and records it; any answer whose label is not expected is a failure. Never rejects.
   * @param expected labels such as `200` and `422 login_failed`
   * @param bases where to: the public address unless said; of several, the next one if a connection is refused
   */
  ask(operation: string, sent: Sent, expected: readonly string[], bases?: readonly string[]): Promise<Answer>;
  /** Whether ended access tokens must be refused now: no fault is on, and none was a moment ago. */
  isCalm(): boolean;
}

/** An actor does one thing and notes what came of it. */
export type Actor = (world: World) => Promise<void>;

/** Makes `ask` of a client; every exchange is handed to `record`. */
export function createAsk(
  client: HttpClient,
  publicUrl: string,
  record: (exchange: Exchange) => void,
): World['ask'] {
  return async (operation, sent, expected, bases = [publicUrl]) => {
    for (const [at, base] of bases.entries()) {
      const sentMs = performance.now();
      const answer = await client.send(base, sent);
      // Nothing was sent over a refused connection, and whoever balances load goes on to the next.
      if (!answer.mayHaveArrived && at < bases.length - 1) continue;
      const failure = expected.includes(answer.label) ? undefined : answer.label;
      record({ operation, sentMs, endedMs: performance.now(), failure });
      return answer;
    }
    throw new RangeError('there is no address to ask');
  };
}

/** Whether a request may have changed something although its answer does not say so. */
export function isUnknown({ status, mayHaveArrived }: Answer): boolean {
  return status >= 500 || (status === 0 && mayHaveArrived);
}
