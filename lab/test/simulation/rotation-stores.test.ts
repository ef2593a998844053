// The same histories on Redis and on the embedded store: the verdicts of the rule, and its promises.

import { openSessionStore } from '@tollgate/session-service/stores/open-session-store.js';
import { DAY, HOUR, RULES, SECOND } from '@tollgate/session-service/test/session-rules.js';
import { embeddedStore, redisStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import t from 'tap';
import { falseLogOut, lossesMadeGoodInADay, tabsShareWindows } from './false-log-out.js';
import { type Behaviour, histories } from './histories.js';
import { type AgeingStore, playOnRule, playOnStore } from './play.js';
import { discoveries } from './theft.js';

const SEED = 3_040_915;
const HISTORIES = 150;
// No multiple of it is within four seconds before a limit of the rules, so that the duration of a test has no influence.
const TICK_MS = 11 * SECOND;
const MINUTE = 60 * SECOND;

const OWNER: Behaviour = {
  rounds: [1, 16],
  tabs: [1, 3],
  pausesMs: [
    [30 * SECOND, 2 * MINUTE],
    [13 * MINUTE, 14 * MINUTE],
    [HOUR, 16 * HOUR],
    [0, 3 * DAY],
  ],
  spreadMs: 12 * SECOND,
  requestMs: 6 * SECOND,
  answerMs: 12 * SECOND,
  lostPercent: 15,
  usedPercent: 80,
};
const LOSING: Behaviour = { ...OWNER, tabs: [1, 1], lostPercent: 45 };
const ROBBED: Behaviour = {
  ...OWNER,
  thieves: {
    count: [1, 2],
    moves: [1, 4],
    roundsLater: [0, 1],
    afterMs: [
      [0, 90 * SECOND],
      [0, 14 * MINUTE],
    ],
    usedPercent: 90,
  },
};

const rules = fc
  .record({ windowMs: fc.constantFrom(30 * SECOND, 30 * SECOND, 0), recoveries: fc.constantFrom(4, 4, 1) })
  .map((chosen) => ({ ...RULES, ...chosen }));

t.test(
  'tabs and thieves have the same fate under the rule, on Redis and on the embedded store',
  async (t) => {
    const places: AgeingStore[] = [await redisStore(t), embeddedStore(t)].map(({ store, age }) => ({
      sessions: openSessionStore(store),
      age,
    }));
    const seen = new Map<string, number>();
    const count = (name: string) => seen.set(name, (seen.get(name) ?? 0) + 1);
    let uid = 0;

    await fc.assert(
      fc.asyncProperty(
        fc.oneof(histories(OWNER), histories(LOSING), histories(ROBBED)),
        rules,
        fc.boolean(),
        async (history, rules, provesUse) => {
          uid += 1;
          const user = uid;
          const options = { rules, provesUse, tickMs: TICK_MS };
          const expected = playOnRule(history, options);
          const traces = await Promise.all(places.map((place) => playOnStore(place, user, history, options)));
          for (const trace of traces) {
            if (JSON.stringify(trace) !== JSON.stringify(expected)) {
              throw new Error(`${JSON.stringify(trace)}, not ${JSON.stringify(expected)}`);
            }
            const insideTheRules =
              lossesMadeGoodInADay(trace, rules) <= rules.recoveries &&
              tabsShareWindows(trace, rules.windowMs);
            if (history.thieves.length === 0 && rules.windowMs > 0 && insideTheRules) {
              count('owners inside the rules');
              if (falseLogOut(trace) !== undefined) throw new Error('a false logout');
            }
            if (!provesUse) continue;
            for (const discovery of discoveries(trace, rules.windowMs)) {
              count(`thefts ${discovery}`);
              if (discovery === 'undetected') throw new Error('an undetected theft');
            }
          }
          for (const entry of expected) if (entry.kind === 'refresh') count(entry.outcome);
        },
      ),
      { numRuns: HISTORIES, seed: SEED },
    );

    t.comment([...seen].map(([name, times]) => `${name} ${times}`).join(', '));
    for (const outcome of ['rotated', 'current', 'recovered', 'reuse', 'revoked']) {
      t.ok((seen.get(outcome) ?? 0) >= 20, `${outcome} was among the verdicts`);
    }
    for (const promise of ['owners inside the rules', 'thefts detected']) {
      t.ok((seen.get(promise) ?? 0) >= 10, `${promise} were among the histories`);
    }
  },
);
