// The promises of rotation, for any history of tabs and thieves under the pure rule, and their limits.

import { DAY, HOUR, RULES, SECOND } from '@tollgate/session-service/test/session-rules.js';
import fc from 'fast-check';
import t from 'tap';
import { falseLogOut, lossesMadeGoodInADay, lostAnswersInADay, tabsShareWindows } from './false-log-out.js';
import { type Behaviour, histories } from './histories.js';
import type { Round, TabRefresh } from './history.js';
import { playOnRule } from './play.js';
import { discoveries } from './theft.js';

const SEED = 3_040_915;
const MINUTE = 60 * SECOND;
const PLAIN: TabRefresh = { startMs: 0, requestMs: 0, answerMs: 0, fate: 'arrives', useMs: 0 };
const LOST: TabRefresh = { ...PLAIN, fate: 'lost', useMs: undefined };

function round(pauseMs: number, ...refreshes: TabRefresh[]): Round {
  return { pauseMs, refreshes };
}

const rules = fc
  .record({
    windowMs: fc.constantFrom(20 * SECOND, 30 * SECOND, MINUTE),
    recoveries: fc.integer({ min: 0, max: 5 }),
  })
  .map((chosen) => ({ ...RULES, ...chosen }));

const TABS: Behaviour = {
  rounds: [1, 25],
  tabs: [1, 3],
  pausesMs: [
    [29 * SECOND, 31 * SECOND],
    [59 * SECOND, 2 * MINUTE],
    [13 * MINUTE, 14 * MINUTE],
    [HOUR, 16 * HOUR],
    [0, 3 * DAY],
  ],
  spreadMs: 6 * SECOND,
  requestMs: 4 * SECOND,
  answerMs: 8 * SECOND,
  lostPercent: 20,
  usedPercent: 80,
};

t.test(
  'parallel tabs, aborted and lost responses never log anyone out if the tabs share windows and no more responses are lost than may be recovered',
  async (t) => {
    let atTheLimit = 0;
    let recovered = 0;
    fc.assert(
      fc.property(histories(TABS), rules, fc.boolean(), (history, rules, provesUse) => {
        const trace = playOnRule(history, { rules, provesUse });
        const losses = lossesMadeGoodInADay(trace, rules);
        // Losses count when they are recovered; that this is a restriction is shown below.
        fc.pre(losses <= rules.recoveries && tabsShareWindows(trace, rules.windowMs));
        if (losses > 0 && losses === rules.recoveries) atTheLimit += 1;
        if (losses > 0) recovered += 1;
        return falseLogOut(trace) === undefined;
      }),
      { numRuns: 10_000, seed: SEED },
    );
    t.comment(
      `10,000 histories, ${recovered} with lost answers, ${atTheLimit} with as many as may be recovered`,
    );
    t.ok(recovered > 2000 && atTheLimit > 500, 'enough histories have losses');
  },
);

const ROBBED: Behaviour = {
  ...TABS,
  rounds: [2, 12],
  spreadMs: 40 * SECOND,
  requestMs: 40 * SECOND,
  answerMs: 40 * SECOND,
  usedPercent: 60,
  thieves: {
    count: [1, 2],
    moves: [1, 4],
    roundsLater: [0, 1],
    afterMs: [
      [0, 90 * SECOND],
      [0, 14 * MINUTE],
      [0, 4 * HOUR],
    ],
    usedPercent: 70,
  },
};

t.test(
  'a thief who refreshes outside the window and uses what it got is detected at the next refresh of the owner, unless the owner has the same unused token',
  async (t) => {
    const seen = { detected: 0, same_token: 0, undetected: 0 };
    fc.assert(
      fc.property(histories(ROBBED), rules, fc.boolean(), (history, chosen, strict) => {
        const rules = strict ? { ...chosen, windowMs: 0 } : chosen;
        const trace = playOnRule(history, { rules, provesUse: true });
        const found = discoveries(trace, rules.windowMs);
        for (const discovery of found) seen[discovery] += 1;
        return !found.includes('undetected') && !(strict && found.includes('same_token'));
      }),
      { numRuns: 20_000, seed: SEED },
    );
    t.comment(`${seen.detected} detected, ${seen.same_token} with an unused token of the owner`);
    t.ok(seen.detected > 1000, 'enough thieves get tokens');
  },
);

t.test('the same seed gives the same histories', async (t) => {
  const sample = () => fc.sample(histories(ROBBED), { numRuns: 20, seed: SEED });
  t.strictSame(sample(), sample());
});

t.test(
  'losses count at the refresh that recovers them: a fifth within a day of that ends the session',
  async (t) => {
    // The first response is lost when a lid closes and recovered ten hours later; four more follow.
    const loss = [round(HOUR, LOST), round(HOUR, PLAIN)];
    const history = {
      rounds: [
        round(HOUR, LOST),
        round(10 * HOUR, PLAIN),
        ...loss,
        ...loss,
        ...loss,
        round(16 * HOUR, LOST),
        round(HOUR, PLAIN),
      ],
      thieves: [],
    };
    const trace = playOnRule(history, { rules: RULES, provesUse: true });
    t.equal(lostAnswersInADay(trace), 4);
    t.equal(lossesMadeGoodInADay(trace, RULES), 5);
    t.match(falseLogOut(trace), { outcome: 'reuse' });
  },
);

t.test('responses that overtake each other at the edge of a window can end the session', async (t) => {
  // A tab receives generation 2 just before the edge, another 3 just after it; 2 is stored last.
  const crossing = round(29_900, { ...PLAIN, answerMs: 400 }, { ...PLAIN, startMs: 200, answerMs: 100 });
  const history = { rounds: [round(HOUR, PLAIN), crossing, round(HOUR, PLAIN)], thieves: [] };
  const trace = playOnRule(history, { rules: RULES, provesUse: true });
  t.equal(lostAnswersInADay(trace), 0);
  t.equal(tabsShareWindows(trace, RULES.windowMs), false);
  t.match(falseLogOut(trace), { presented: 2, outcome: 'reuse' });
  t.equal(
    falseLogOut(playOnRule(history, { rules: RULES, provesUse: false })),
    undefined,
    'proof of use causes it',
  );
});

t.test('a thief with the token before an unused one of the owner looks like a lost response', async (t) => {
  const thief = {
    copy: { round: 0, afterMs: -1 },
    moves: [
      { roundsLater: 0, afterMs: 10 * MINUTE, useMs: 0 },
      { roundsLater: 1, afterMs: 10 * MINUTE, useMs: 0 },
    ],
  };
  const unused = round(HOUR, { ...PLAIN, useMs: undefined });
  const history = { rounds: [unused, round(HOUR, PLAIN), round(HOUR, PLAIN)], thieves: [thief] };
  const trace = playOnRule(history, { rules: RULES, provesUse: true });
  t.match(trace, [
    { by: 'owner', presented: 1, outcome: 'rotated' },
    { by: 0, presented: 1, outcome: 'recovered', generation: 2 },
    { kind: 'use', by: 0, generation: 2 },
    { by: 'owner', presented: 2, outcome: 'rotated', generation: 3 },
    { kind: 'use', by: 'owner', generation: 3 },
    { by: 0, presented: 2, outcome: 'reuse' },
    { by: 'owner', presented: 3, outcome: 'revoked' },
  ]);
  t.strictSame(discoveries(trace, RULES.windowMs), ['same_token']);
});

t.test('an owner who refreshes within the window of the thief is treated like a parallel tab', async (t) => {
  const thief = {
    copy: { round: 0, afterMs: 1 },
    moves: [{ roundsLater: 0, afterMs: HOUR - 10_000, useMs: 0 }],
  };
  const history = { rounds: [round(HOUR, PLAIN), round(HOUR, PLAIN)], thieves: [thief] };
  const trace = playOnRule(history, { rules: RULES, provesUse: true });
  t.match(trace.at(-2), { by: 'owner', presented: 2, outcome: 'current', generation: 3 });
  t.strictSame(discoveries(trace, RULES.windowMs), [], 'it is not outside the window');
});
