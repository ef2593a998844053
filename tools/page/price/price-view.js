// The price of the next attempt: its multiple, its zero bits, its place on the stairs, and effort in place of an image.
import { find } from '../find.js';
import { count } from '../format.js';
import { translate } from '../i18n.js';
import { createChart } from './chart.js';

/** @param {import('./price-terms.js').PriceTerms} terms */
export function createPriceView(terms) {
  const zeros = fill(find('zeros'), terms.ceiling);
  const chart = createChart(terms);
  const chip = find('price-chip');
  /** Price of an attempt without failures, in bits. */
  const first = Math.min(terms.floor, terms.ceiling);
  let shown;

  return {
    /** The next price as a multiple of the first. */
    get times() {
      return shown === undefined ? 1 : 2 ** Math.max(0, shown - first);
    },
    /** @param {number} difficulty in bits */
    showPrice(difficulty) {
      if (difficulty === shown) return;
      shown = difficulty;
      const unit = translate('zero_bits');
      const times = count(2 ** (difficulty - first));
      for (const name of ['price-now', 'zeros']) find(name).hidden = false;
      find('bits').textContent = difficulty;
      find('bits-unit').textContent = unit;
      find('price-words').textContent = translate('price_words', {
        bits: difficulty,
        hashes: count(2 ** difficulty),
      });
      find('zeros').ariaLabel = translate('zeros', { bits: difficulty, ceiling: terms.ceiling });
      zeros.forEach((cell, at) => {
        cell.className = at >= difficulty ? '' : at < first ? 'zero' : 'zero dearer';
      });
      const isRaised = difficulty > first;
      find('raised').hidden = !isRaised;
      find('raised').textContent = translate('raised', { times });
      chip.hidden = false;
      chip.textContent = isRaised
        ? translate('chip_raised', { bits: difficulty, times })
        : `${difficulty} ${unit}`;
      chip.classList.toggle('dearer', isRaised);
      chart.show(difficulty);
    },
    /** @param {import('../client/challenge.js').ShownEffort | null} effort null hides it */
    showParts(effort) {
      const row = find('parts');
      const words = find('parts-words');
      row.hidden = effort === null;
      words.hidden = effort === null;
      if (effort === null) return;
      const { part, parts } = effort;
      const cells = row.children.length === parts ? [...row.children] : fill(row, parts);
      cells.forEach((cell, at) => {
        cell.className = at < part ? 'done' : at === part ? 'now' : '';
      });
      words.textContent = translate('parts', { part, parts });
    },
  };
}

/** Fills a row with empty cells. */
function fill(row, cells) {
  row.replaceChildren(...Array.from({ length: cells }, () => document.createElement('span')));
  return [...row.children];
}
