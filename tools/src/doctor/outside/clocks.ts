// Checks that the clocks of the stores, of the services and of this machine agree.

import { type Answer, textOf } from '../answer.js';
import { type Finding, good, problem, warning } from '../report.js';
import type { RoutingFacts } from './routing.js';
import type { SessionFacts } from './session.js';

/** The clocks of a service and of its store at the same moment, in milliseconds since 1970, cut to whole seconds. */
export interface ClockPair {
  /** The service, for people. */
  readonly name: string;
  readonly serviceMs: number;
  readonly storeMs: number;
}

export interface ClockFacts {
  readonly pairs: readonly ClockPair[];
  readonly serviceMs: number;
  /** This machine's clock at that moment. */
  readonly hereMs: number;
}

/** The two seconds at which a node warns in its log, and one for rounding and the way. */
const STORE_APART_MS = 3000;
/** The five seconds that the check of a token tolerates, and one more. */
const HERE_APART_MS = 6000;

/**
 * Reads the clocks from answers that were given anyway: the service's from the header `Date`, the store's from what the
 * same answer says was recorded. Undefined if there is no `Date`.
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

/** Tokens are made by one clock and checked by another, so the clocks must agree within seconds. */
export function diagnoseClocks({ pairs, serviceMs, hereMs }: ClockFacts): Finding[] {
  const found: Finding[] = pairs
    .filter(({ serviceMs, storeMs }) => Math.abs(serviceMs - storeMs) > STORE_APART_MS)
    .map(({ name, serviceMs, storeMs }) =>
      problem(
        'clocks_apart',
        `The clocks of ${name} and of its store are ${seconds(serviceMs - storeMs)} s apart.`,
        'Set the time of all machines by NTP: tokens are made by one clock and checked by the other.',
      ),
    );
  if (Math.abs(serviceMs - hereMs) > HERE_APART_MS) {
    found.push(
      warning(
        'clock_here',
        `The clocks of the services and of this machine are ${seconds(serviceMs - hereMs)} s apart.`,
        'Find out which one is wrong, and set it by NTP.',
      ),
    );
  }
  return found.length > 0 ? found : [good('clocks', 'The clocks agree.')];
}

/**
 * Compares the clocks of the processes of each service by the header `Date` of many answers. Of a gateway that sets its own
 * (nginx) it sees one clock.
 */
export function diagnoseProcessClocks(facts: RoutingFacts): Finding[] {
  return Object.entries(facts).flatMap(([service, answers]) => {
    // An answer was dated between its request and its arrival, and the second is cut.
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
        `The clocks of processes of ${service} are about ${seconds(apartMs)} s apart.`,
        'Set the time of all machines by NTP: tokens are made by one clock and checked by another.',
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
