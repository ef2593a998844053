// Measures how often owners are logged out without cause, and how often thieves remain undetected.

import { RULES } from '@tollgate/session-service/test/session-rules.js';
import fc from 'fast-check';
import type { Case } from './behaviours.js';
import { falseLogOut } from './false-log-out.js';
import { histories } from './histories.js';
import { playOnRule } from './play.js';
import { firstTheft } from './theft.js';
import type { Trace } from './trace.js';

interface Sampling {
  /** Number of histories. */
  readonly histories: number;
  /** The same seed gives the same histories. */
  readonly seed: number;
}

/** The same histories with proof of use and without it. */
interface Compared<Rate> {
  readonly proven: Rate;
  readonly unproven: Rate;
}

interface LogOutRate {
  readonly histories: number;
  readonly refreshes: number;
  readonly falseLogOuts: number;
}

/** The fate of thieves who came before the end of the session: each history has one of the three. */
interface TheftRate {
  readonly thefts: number;
  /** The thief's first refresh was rejected, and the session ended. */
  readonly turnedAway: number;
  /** The thief got tokens, and later the session ended. */
  readonly found: number;
  readonly undetected: number;
}

/** False logouts among owners alone. */
export function measureLogOuts(chosen: Case, sampling: Sampling): Compared<LogOutRate> {
  return compare(chosen, sampling, () => {
    let refreshes = 0;
    let falseLogOuts = 0;
    return {
      visit(trace) {
        refreshes += trace.filter(({ kind }) => kind === 'refresh').length;
        if (falseLogOut(trace) !== undefined) falseLogOuts += 1;
      },
      rate: (histories) => ({ histories, refreshes, falseLogOuts }),
    };
  });
}

/** Thefts and their discovery until the end of the history. */
export function measureThefts(chosen: Case, sampling: Sampling): Compared<TheftRate> {
  return compare(chosen, sampling, () => {
    const ends = { turned_away: 0, found: 0, undetected: 0 };
    return {
      visit(trace) {
        const end = firstTheft(trace);
        if (end !== undefined) ends[end] += 1;
      },
      rate() {
        const { turned_away: turnedAway, found, undetected } = ends;
        return { thefts: turnedAway + found + undetected, turnedAway, found, undetected };
      },
    };
  });
}

/** Thefts of only the cookie of sessions that are bound to a key. */
interface BoundTheftRate {
  /** Refreshes attempted by thieves. */
  readonly attempts: number;
  /** Those that returned tokens. */
  readonly granted: number;
  /** Histories in which the owner was logged out only because of the thieves. */
  readonly falseLogOuts: number;
}

/** The gain of a thief of a bound session's cookie, and the effects on its owner. */
export function measureBoundThefts({ behaviour, ...rules }: Case, sampling: Sampling): BoundTheftRate {
  const options = { rules: { ...RULES, ...rules }, provesUse: true, isBound: true };
  let [attempts, granted, falseLogOuts] = [0, 0, 0];
  fc.assert(
    fc.property(histories(behaviour), (history) => {
      const robbed = playOnRule(history, options).filter((entry) => entry.kind === 'refresh');
      const stolen = robbed.filter(({ by }) => by !== 'owner');
      attempts += stolen.length;
      granted += stolen.filter(({ generation }) => generation !== undefined).length;
      const ownersOf = (trace: Trace) => JSON.stringify(trace.filter(({ by }) => by === 'owner'));
      const alone = playOnRule({ ...history, thieves: [] }, options).filter(({ kind }) => kind === 'refresh');
      if (ownersOf(robbed) !== ownersOf(alone)) falseLogOuts += 1;
    }),
    { numRuns: sampling.histories, seed: sampling.seed },
  );
  return { attempts, granted, falseLogOuts };
}

/** Thefts of the cookie of an unbound session by thieves who prove their own key. */
interface BindingTheftRate {
  readonly thefts: number;
  /** Thefts that never ended the session. */
  readonly undetected: number;
  /** Thefts after which the thief's key was required of the owner. */
  readonly lockedOut: number;
  /** Refreshes granted to thieves. */
  readonly granted: number;
}

/** The gain of a thief who binds the session before its owner does. */
export function measureBindingThefts(
  { behaviour, ...rules }: Case,
  thievesBind: 'any_nonce' | 'first_nonce',
  sampling: Sampling,
): BindingTheftRate {
  const options = { rules: { ...RULES, ...rules }, provesUse: true, thievesBind };
  let [thefts, undetected, lockedOut, granted] = [0, 0, 0, 0];
  fc.assert(
    fc.property(histories(behaviour), (history) => {
      const trace = playOnRule(history, options);
      const end = firstTheft(trace);
      if (end === undefined) return;
      thefts += 1;
      const refreshes = trace.filter((entry) => entry.kind === 'refresh');
      if (end === 'undetected') undetected += 1;
      if (refreshes.some(({ by, outcome }) => by === 'owner' && outcome === 'binding_required'))
        lockedOut += 1;
      granted += refreshes.filter(({ by, generation }) => by !== 'owner' && generation !== undefined).length;
    }),
    { numRuns: sampling.histories, seed: sampling.seed },
  );
  return { thefts, undetected, lockedOut, granted };
}

/** Totals over the traces of many histories. */
interface Count<Rate> {
  visit(trace: Trace): void;
  /** @param histories the number of visited ones */
  rate(histories: number): Rate;
}

function compare<Rate>(
  { behaviour, ...rules }: Case,
  { histories: numRuns, seed }: Sampling,
  count: () => Count<Rate>,
): Compared<Rate> {
  const [proven, unproven] = [count(), count()];
  const options = { rules: { ...RULES, ...rules } };
  let visited = 0;
  // A property only for its iteration over the histories, one at a time.
  fc.assert(
    fc.property(histories(behaviour), (history) => {
      visited += 1;
      proven.visit(playOnRule(history, { ...options, provesUse: true }));
      unproven.visit(playOnRule(history, { ...options, provesUse: false }));
    }),
    { numRuns, seed },
  );
  return { proven: proven.rate(visited), unproven: unproven.rate(visited) };
}
