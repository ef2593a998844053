// The behaviours whose rates are printed: within the rules, and outside.

import { HOUR, SECOND } from '@tollgate/session-service/test/session-rules.js';
import type { Behaviour } from './histories.js';

const MINUTE = 60 * SECOND;

/** Two or three tabs, refreshed while they are open and when the browser is; one response in a hundred is lost. */
const ORDINARY: Behaviour = {
  rounds: [20, 40],
  tabs: [1, 3],
  pausesMs: [
    [13 * MINUTE, 14 * MINUTE],
    [13 * MINUTE, 14 * MINUTE],
    [13 * MINUTE, 14 * MINUTE],
    [HOUR, 16 * HOUR],
  ],
  spreadMs: 5 * SECOND,
  requestMs: 2 * SECOND,
  answerMs: 2 * SECOND,
  lostPercent: 1,
  usedPercent: 95,
};

/** One behaviour and its differences in the rules. */
export interface Case {
  readonly behaviour: Behaviour;
  readonly windowMs?: number;
  readonly recoveries?: number;
}

/** Owners alone. */
export const ALONE: Readonly<Record<string, Case>> = {
  'an ordinary browser': { behaviour: ORDINARY },
  'an ordinary browser, no recoveries': { behaviour: ORDINARY, recoveries: 0 },
  'an ordinary browser, W = 0': { behaviour: ORDINARY, windowMs: 0 },
  'one tab, nothing lost, W = 0': {
    behaviour: { ...ORDINARY, tabs: [1, 1], lostPercent: 0 },
    windowMs: 0,
  },
  'one response in ten lost': { behaviour: { ...ORDINARY, lostPercent: 10 } },
  'one response in three lost': { behaviour: { ...ORDINARY, lostPercent: 33 } },
  'one tab, one response in three lost': { behaviour: { ...ORDINARY, tabs: [1, 1], lostPercent: 33 } },
  'slow tabs: a request takes up to a minute': { behaviour: { ...ORDINARY, requestMs: MINUTE } },
  'slow tabs: a request takes up to 5 minutes': { behaviour: { ...ORDINARY, requestMs: 5 * MINUTE } },
  'late responses: up to 20 minutes': { behaviour: { ...ORDINARY, answerMs: 20 * MINUTE } },
  'pages loaded all the time, over the edges of windows': {
    behaviour: { ...ORDINARY, pausesMs: [[0, 40 * SECOND]], rounds: [100, 200] },
  },
};

const OUTSIDE = {
  count: [1, 1],
  moves: [1, 8],
  roundsLater: [0, 2],
  afterMs: [[45 * SECOND, 12 * MINUTE]],
  usedPercent: 100,
} satisfies Behaviour['thieves'];
const LATE = { ...OUTSIDE, roundsLater: [2, 10] } satisfies Behaviour['thieves'];
const AT_ONCE = {
  ...OUTSIDE,
  roundsLater: [0, 0],
  afterMs: [[0, 20 * SECOND]],
} satisfies Behaviour['thieves'];
// Seven seconds after its beginning, the tabs of a round have their responses.
const PACED = {
  ...OUTSIDE,
  moves: [4, 16],
  roundsLater: [1, 1],
  afterMs: [[7 * SECOND, 29 * SECOND]],
} satisfies Behaviour['thieves'];

function robbed(thieves: NonNullable<Behaviour['thieves']>, owner: Partial<Behaviour> = {}): Case {
  return { behaviour: { ...ORDINARY, ...owner, thieves } };
}

/** Owners whose refresh token has been copied by a thief. */
export const ROBBED: Readonly<Record<string, Case>> = {
  'outside the window': robbed(OUTSIDE),
  'outside the window, uses nothing': robbed({ ...OUTSIDE, usedPercent: 0 }),
  'outside the window, of an owner who uses every other response': robbed(OUTSIDE, { usedPercent: 50 }),
  'outside the window, with one response in ten lost': robbed(OUTSIDE, { lostPercent: 10 }),
  'outside the window, once': robbed({ ...OUTSIDE, moves: [1, 1] }),
  'late: rounds after the copy': robbed(LATE),
  'at once, around the rotation': robbed(AT_ONCE),
  'at once, around the rotation, and once': robbed({ ...AT_ONCE, moves: [1, 1] }),
  'paced inside the window': robbed(PACED),
  'paced inside the window, uses nothing': robbed({ ...PACED, usedPercent: 0 }),
  'at any time, one tab, nothing lost, W = 0': {
    ...robbed({ ...OUTSIDE, afterMs: [[0, 12 * MINUTE]] }, { tabs: [1, 1], lostPercent: 0 }),
    windowMs: 0,
  },
};
