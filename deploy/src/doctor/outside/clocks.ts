// Whether the clocks agree: of the stores, of the services and of this machine.

import { type Finding, good, problem, warning } from '../finding.js';

/** A service's clock and its store's at the same moment, in milliseconds since 1970, both cut to whole seconds. */
export interface ClockPair {
  /** Whose clocks, for people. */
  readonly name: string;
  readonly serviceMs: number;
  readonly storeMs: number;
}

export interface ClockFacts {
  readonly pairs: readonly ClockPair[];
  /** A service's clock and this machine's. */
  readonly serviceMs: number;
  readonly hereMs: number;
}

/** Two, of which a node warns (decisions 1), and one that whole seconds and the way may take. */
const STORE_APART_MS = 3000;
/** What tokens tolerate (decisions 3.3), and one more. */
const HERE_APART_MS = 6000;

/** The differences. */
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

function seconds(differenceMs: number): number {
  return Math.round(Math.abs(differenceMs) / 1000);
}
