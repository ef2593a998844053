// Prints how often owners are logged out without cause and how often thieves remain undetected, by behaviour.

import t from 'tap';
import { ALONE, ROBBED } from './behaviours.js';
import { measureBindingThefts, measureBoundThefts, measureLogOuts, measureThefts } from './rates.js';

const SAMPLING = { histories: 300, seed: 3_040_915 };

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

t.test(
  'false logouts are counted for every behaviour, and none happens to an ordinary browser',
  async (t) => {
    for (const [name, chosen] of Object.entries(ALONE)) {
      const { proven, unproven } = measureLogOuts(chosen, SAMPLING);
      t.comment(
        `${name}: ${percent(proven.falseLogOuts, proven.histories)} of ${proven.histories} sessions logged out`,
        `(${proven.refreshes} refreshes); without proof of use ${percent(unproven.falseLogOuts, unproven.histories)}`,
      );
      t.equal(proven.histories, SAMPLING.histories);
      if (name === 'an ordinary browser' || name === 'one tab, nothing lost, W = 0') {
        t.equal(proven.falseLogOuts, 0, name);
      }
    }
  },
);

t.test(
  'undetected thefts are counted for every behaviour, and proof of use rejects no fewer thieves',
  async (t) => {
    for (const [name, chosen] of Object.entries(ROBBED)) {
      const { proven, unproven } = measureThefts(chosen, SAMPLING);
      for (const [how, rate] of [
        ['', proven],
        [', without proof of use', unproven],
      ] as const) {
        const { thefts, turnedAway, found, undetected } = rate;
        t.comment(
          `${name}${how}: of ${thefts} thieves ${percent(turnedAway, thefts)} turned away,`,
          `${percent(found, thefts)} found later, ${percent(undetected, thefts)} undetected`,
        );
      }
      t.ok(proven.thefts > 50, 'thieves came');
      t.ok(proven.turnedAway >= unproven.turnedAway, name);
    }
  },
);

t.test(
  'a thief of only the cookie gets no refresh of a bound session, and its owner notices nothing',
  async (t) => {
    for (const [name, chosen] of Object.entries(ROBBED)) {
      const { attempts, granted, falseLogOuts } = measureBoundThefts(chosen, SAMPLING);
      t.comment(`${name}: of ${attempts} refreshes of thieves ${granted} succeeded`);
      t.ok(attempts > 50, 'thieves came');
      t.strictSame([granted, falseLogOuts], [0, 0], name);
    }
  },
);

t.test(
  'a thief of an unbound cookie who tries to bind the session first gains nothing, and locks nobody out',
  async (t) => {
    for (const [name, chosen] of Object.entries(ROBBED)) {
      const { proven } = measureThefts(chosen, SAMPLING);
      const tried = measureBindingThefts(chosen, 'any_nonce', SAMPLING);
      const withNonce = measureBindingThefts(chosen, 'first_nonce', SAMPLING);
      t.comment(
        `${name}: of ${tried.thefts} thieves ${percent(tried.undetected, tried.thefts)} undetected,`,
        `${(tried.granted / tried.thefts).toFixed(2)} refreshes each; with the nonce of the login`,
        `${percent(withNonce.undetected, withNonce.thefts)} undetected,`,
        `${percent(withNonce.lockedOut, withNonce.thefts)} of the owners locked out`,
      );
      t.strictSame([tried.thefts, tried.undetected], [proven.thefts, proven.undetected], name);
      t.equal(tried.lockedOut, 0, name);
    }
    const { lockedOut } = measureBindingThefts(
      ROBBED['outside the window'] ?? fail(),
      'first_nonce',
      SAMPLING,
    );
    t.ok(lockedOut > 0, 'only the nonce prevents this');
  },
);

function fail(): never {
  throw new Error('unknown behaviour');
}
