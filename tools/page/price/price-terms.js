// How the price of an attempt grows with failures: what the picture shows.

/**
 * @typedef {object} PriceTerms difficulties are zero bits
 * @property {number} floor the price without failures
 * @property {number} ceiling what no price exceeds
 * @property {number} step bits added by each failure, 0 for none
 * @property {number} image_after the failures after which an image is required as well
 */

/** The defaults of the services, for a page whose facts could not be fetched. @type {PriceTerms} */
export const usualTerms = { floor: 16, ceiling: 24, step: 2, image_after: 2 };

/** More steps than this are not told apart in a picture. */
const mostStairs = 12;

/**
 * The prices in bits after 0, 1, 2 … failures, up to the one that reaches the ceiling.
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

/** Which stair a price stands on: the highest that it reaches. @param {readonly number[]} stairs @param {number} bits */
export function stairAt(stairs, bits) {
  return Math.max(
    0,
    stairs.findLastIndex((stair) => stair <= bits),
  );
}
