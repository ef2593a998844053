// The environment of the load's actors: addresses, ledger, and one recorded way to send requests.

import type { Random } from '../../random.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Exchange } from '../ledger/timeline.js';
import type { Answer, HttpClient, Sent } from './http-client.js';
import type { SolvedWork } from './solve-work.js';

/** The addresses of the system under load, and its users. */
export interface Target {
  /** The public address. */
  readonly publicUrl: string;
  /** The host API of each challenge service, and its key. */
  readonly hostApiUrls: readonly string[];
  readonly hostApiKey: string;
  /** Email addresses of accounts that can log in. */
  readonly people: readonly string[];
  /** The password of all of them. */
  readonly password: string;
}

/** The actors' world. */
export interface World extends Target {
  readonly ledger: Ledger;
  readonly random: Random;
  /** Fetched and solved work that has not been submitted; the oldest first. */
  readonly stock: SolvedWork[];
  /** Users with a login in progress: two concurrent attempts would each count as a failure for the other. */
  readonly signingIn: Set<string>;
  /** Users whose last login may count as a failure. */
  readonly interrupted: Set<string>;
  /**
   * Sends a request and records it; any response without an expected label is a failure. Never rejects.
   * @param expected labels such as `200` and `422 login_failed`
   * @param bases addresses, by default the public one; of several, the next one if a connection is refused
   */
  ask(operation: string, sent: Sent, expected: readonly string[], bases?: readonly string[]): Promise<Answer>;
  /** Whether ended access tokens must be rejected now: no fault is active, and none was a moment ago. */
  isCalm(): boolean;
}

/** An actor does one thing and records its result. */
export type Actor = (world: World) => Promise<void>;

/** Makes `ask` of a client; every exchange is passed to `record`. */
export function createAsk(
  client: HttpClient,
  publicUrl: string,
  record: (exchange: Exchange) => void,
): World['ask'] {
  return async (operation, sent, expected, bases = [publicUrl]) => {
    for (const [at, base] of bases.entries()) {
      const sentMs = performance.now();
      const answer = await client.send(base, sent);
      // Nothing was sent over a refused connection, and a load balancer tries the next one.
      if (!answer.mayHaveArrived && at < bases.length - 1) continue;
      const failure = expected.includes(answer.label) ? undefined : answer.label;
      record({ operation, sentMs, endedMs: performance.now(), failure });
      return answer;
    }
    throw new RangeError('no address given');
  };
}

/** Whether a request may have had an effect that its response does not show. */
export function isUnknown({ status, mayHaveArrived }: Answer): boolean {
  return status >= 500 || (status === 0 && mayHaveArrived);
}
