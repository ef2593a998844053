// Histories of a behaviour, for fast-check.

import fc from 'fast-check';
import type { Fate, History, Move, Round, TabRefresh, Thief } from './history.js';

/** Least and most, both included. */
export type Range = readonly [number, number];

/** The behaviour of a browser and its thieves. Times are milliseconds. */
export interface Behaviour {
  /** Times at which tabs refresh. */
  readonly rounds: Range;
  /** Tabs that refresh at such a time. */
  readonly tabs: Range;
  /** Interval between two such times: one of these. */
  readonly pausesMs: readonly Range[];
  /** From the first tab to the last. */
  readonly spreadMs: number;
  /** Maximum transit time of a request. */
  readonly requestMs: number;
  /** Maximum transit time of a response. */
  readonly answerMs: number;
  /** Lost responses out of a hundred. */
  readonly lostPercent: number;
  /** Responses out of a hundred that are used for a protected request. */
  readonly usedPercent: number;
  readonly thieves?: {
    readonly count: Range;
    readonly moves: Range;
    /** Rounds of the owner from the copy to the first refresh, and from one refresh to the next. */
    readonly roundsLater: Range;
    /** Delay of the copy and of each refresh from the start of an owner's round: one of these. */
    readonly afterMs: readonly Range[];
    readonly usedPercent: number;
  };
}

const CUT_OFF_PERCENT = 4;
const UNSENT_PERCENT = 4;
const LONGEST_USE_MS = 60_000;

/** Any history of this behaviour. It shrinks towards few and plain refreshes. */
export function histories(behaviour: Behaviour): fc.Arbitrary<History> {
  const [fewest, mostRounds] = behaviour.rounds;
  return fc.record({
    rounds: fc.array(round(behaviour), { minLength: fewest, maxLength: mostRounds, size: 'max' }),
    thieves: thieves(behaviour),
  });
}

function round(behaviour: Behaviour): fc.Arbitrary<Round> {
  const [fewest, mostTabs] = behaviour.tabs;
  return fc.record({
    pauseMs: someOf(behaviour.pausesMs),
    refreshes: fc.array(tabRefresh(behaviour), { minLength: fewest, maxLength: mostTabs, size: 'max' }),
  });
}

function tabRefresh(behaviour: Behaviour): fc.Arbitrary<TabRefresh> {
  return fc.record({
    startMs: within(behaviour.spreadMs),
    requestMs: within(behaviour.requestMs),
    answerMs: within(behaviour.answerMs),
    fate: fc.integer({ min: 0, max: 99 }).map((number) => fateOf(number, behaviour.lostPercent)),
    useMs: delayUntilUse(behaviour.usedPercent),
  });
}

function thieves({ thieves, rounds: [, mostRounds] }: Behaviour): fc.Arbitrary<Thief[]> {
  if (thieves === undefined) return fc.constant([]);
  const afterMs = someOf(thieves.afterMs);
  const move: fc.Arbitrary<Move> = fc.record({
    roundsLater: someOf([thieves.roundsLater]),
    afterMs,
    useMs: delayUntilUse(thieves.usedPercent),
  });
  const [fewestMoves, mostMoves] = thieves.moves;
  return fc.array(
    fc.record({
      copy: fc.record({ round: fc.nat(mostRounds - 1), afterMs }),
      moves: fc.array(move, { minLength: fewestMoves, maxLength: mostMoves, size: 'max' }),
    }),
    { minLength: thieves.count[0], maxLength: thieves.count[1], size: 'max' },
  );
}

function fateOf(number: number, lostPercent: number): Fate {
  if (number >= 100 - lostPercent) return 'lost';
  if (number < 100 - lostPercent - CUT_OFF_PERCENT - UNSENT_PERCENT) return 'arrives';
  return number % 2 === 0 ? 'cut_off' : 'unsent';
}

function delayUntilUse(usedPercent: number): fc.Arbitrary<number | undefined> {
  return fc
    .tuple(fc.integer({ min: 0, max: 99 }), within(LONGEST_USE_MS))
    .map(([number, delayMs]) => (number < usedPercent ? delayMs : undefined));
}

function someOf(ranges: readonly Range[]): fc.Arbitrary<number> {
  return fc.oneof(...ranges.map(([min, max]) => fc.integer({ min, max })));
}

/** From 0 to `maxMs`; the two ends are as likely as all values between them. */
function within(maxMs: number): fc.Arbitrary<number> {
  return fc.oneof({ weight: 2, arbitrary: fc.integer({ min: 0, max: maxMs }) }, fc.constantFrom(0, maxMs));
}
