// The growth of an attempt's price with failures, for the chart.

/**
 * @typedef {object} PriceTerms difficulties are zero bits
 * @property {number} floor the price without failures
 * @property {number} ceiling the highest price
 * @property {number} step bits added by each failure, 0 for none
 * @property {number} image_after failures after which an image is also required
 */

/** The services' defaults, for a page that could not fetch its configuration. @type {PriceTerms} */
export const usualTerms = { floor: 16, ceiling: 24, step: 2, image_after: 2 };

/** The chart cannot distinguish more steps. */
const mostStairs = 12;

/**
 * The prices in bits after 0, 1, 2 … failures, up to the first at the ceiling.
 * @param {PriceTerms} terms
 * @returns {number[]}
 */
export function stairsOf({ floor, ceiling, step }) {
  const stairs = [Math.min(floor, ceiling)];
  while (step > 0 && stairs.length < mostStairs && stairs.at(-1) < ceiling) {
    stairs.push(Math.min(ceiling, floor + step * stairs.length));
  }
  return stairs;
}

/** The stair of a price: the highest that it reaches. @param {readonly number[]} stairs @param {number} bits */
export function stairAt(stairs, bits) {
  return Math.max(
    0,
    stairs.findLastIndex((stair) => stair <= bits),
  );
}
