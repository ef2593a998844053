// Checks that the clocks of stores, services and this machine agree.

import { type Answer, textOf } from '../answer.js';
import { type Finding, good, problem, warning } from '../report.js';
import type { RoutingFacts } from './routing.js';
import type { SessionFacts } from './session.js';

/** The clocks of a service and of its store at the same moment, in milliseconds since 1970, cut to whole seconds. */
interface ClockPair {
  /** The service, for people. */
  readonly name: string;
  readonly serviceMs: number;
  readonly storeMs: number;
}

interface ClockFacts {
  readonly pairs: readonly ClockPair[];
  readonly serviceMs: number;
  /** This machine's clock at that moment. */
  readonly hereMs: number;
}

/** A node logs a warning at two seconds; one more for rounding and latency. */
const STORE_APART_MS = 3000;
/** Token verification tolerates five seconds; one more for latency. */
const HERE_APART_MS = 6000;

/**
 * Reads the clocks from responses of other checks: the service's from the header `Date`, the store's from the time recorded
 * in the same response. Undefined without `Date`.
 *
 * @param hereMs this machine's clock when `work` was issued
 */
export function clocksIn(
  work: Answer,
  session: SessionFacts | undefined,
  hereMs: number,
): ClockFacts | undefined {
  const serviceMs = dateOf(work);
  if (serviceMs === undefined) return undefined;
  const issuedMs = Date.parse(textOf(work, 'expires_at')) - Number(work.json.expires_in) * 1000;
  const sessions = (session?.sessions?.json.sessions ?? []) as { created_at?: string; current?: boolean }[];
  const startedMs = Date.parse(sessions.find(({ current }) => current)?.created_at ?? '');
  const pairs = [
    { name: 'challenge-service', serviceMs, storeMs: issuedMs },
    { name: 'session-service', serviceMs: session && dateOf(session.login), storeMs: startedMs },
  ].flatMap(({ name, serviceMs, storeMs }) =>
    serviceMs === undefined || Number.isNaN(storeMs) ? [] : [{ name, serviceMs, storeMs }],
  );
  return { pairs, serviceMs, hereMs };
}

/** Tokens are issued and verified by different clocks, so these must agree within seconds. */
export function diagnoseClocks({ pairs, serviceMs, hereMs }: ClockFacts): Finding[] {
  const found: Finding[] = pairs
    .filter(({ serviceMs, storeMs }) => Math.abs(serviceMs - storeMs) > STORE_APART_MS)
    .map(({ name, serviceMs, storeMs }) =>
      problem(
        'clocks_apart',
        `The clocks of ${name} and its store differ by ${seconds(serviceMs - storeMs)} s.`,
        'Synchronize all machines by NTP: tokens are issued and verified by different clocks.',
      ),
    );
  if (Math.abs(serviceMs - hereMs) > HERE_APART_MS) {
    found.push(
      warning(
        'clock_here',
        `The clocks of the services and this machine differ by ${seconds(serviceMs - hereMs)} s.`,
        'Synchronize the wrong one by NTP.',
      ),
    );
  }
  return found.length > 0 ? found : [good('clocks', 'The clocks agree.')];
}

/**
 * Compares the clocks of each service's processes by the header `Date` of many responses. Behind a gateway that sets its own
 * `Date` (nginx), it sees only one clock.
 */
export function diagnoseProcessClocks(facts: RoutingFacts): Finding[] {
  return Object.entries(facts).flatMap(([service, answers]) => {
    // `Date` is set between request and arrival, in whole seconds.
    const bounds = answers.flatMap((answer) => {
      const ms = answer.status === 404 ? dateOf(answer) : undefined;
      return ms === undefined ? [] : [{ least: ms - answer.arrivedMs, most: ms + 1000 - answer.sentMs }];
    });
    const apartMs =
      Math.max(...bounds.map(({ least }) => least)) - Math.min(...bounds.map(({ most }) => most));
    if (bounds.length === 0 || apartMs <= STORE_APART_MS) return [];
    return [
      problem(
        'clocks_vary',
        `The clocks of ${service} processes differ by about ${seconds(apartMs)} s.`,
        'Synchronize all machines by NTP: tokens are issued and verified by different clocks.',
      ),
    ];
  });
}

function seconds(differenceMs: number): number {
  return Math.round(Math.abs(differenceMs) / 1000);
}

function dateOf({ headers }: Answer): number | undefined {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
