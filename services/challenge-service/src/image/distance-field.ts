// Turns the coverage of a glyph into a distance field: how far each point is from the edge of the ink. Unlike coverage, a
// field can be scaled and bent, and still gives the edge between its points to a fraction of a pixel.

/** Pixels of coverage for each point of the field, in each direction. */
export const COVER_PER_POINT = 2;

/** Distance from the edge up to which the field varies, in points. Beyond it the field is 0 outside and 255 inside. */
export const FIELD_REACH = 3;

/** The value of a point on the edge itself. */
export const EDGE = 128;

const REACH_PX = FIELD_REACH * COVER_PER_POINT;
/** Side of the square of pixels within reach of a point. A point is a corner where four pixels meet. */
const WINDOW = 2 * REACH_PX;
/** Distance of each pixel of the window from the point, in 1/256 pixel. */
const DISTANCES = Int32Array.from({ length: WINDOW * WINDOW }, (_, at) => {
  const x = (at % WINDOW) - REACH_PX + 0.5;
  const y = Math.floor(at / WINDOW) - REACH_PX + 0.5;
  return Math.floor(Math.sqrt(x * x + y * y) * 256);
});

/**
 * Returns the field of `width` × `height` points, row by row. Its first point is the upper left corner of the pixel `left`,
 * `top`.
 *
 * @param cover coverage from 0 to 255 for each pixel, in rows of `side`; without ink within reach of its border
 */
export function distanceField(
  cover: Uint8Array,
  side: number,
  left: number,
  top: number,
  width: number,
  height: number,
): Uint8Array {
  const field = new Uint8Array(width * height);
  const first = (top - REACH_PX) * side;
  const end = Math.min(cover.length, (top + height * COVER_PER_POINT + REACH_PX) * side);
  const toInk = stepsTo(cover, 0, first, end);
  const toGap = stepsTo(cover, 255, first, end);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const corner = (top + y * COVER_PER_POINT - REACH_PX) * side + left + x * COVER_PER_POINT - REACH_PX;
      const middle = corner + (REACH_PX - 1) * side + REACH_PX - 1;
      const around = cover[middle]! + cover[middle + 1]! + cover[middle + side]! + cover[middle + side + 1]!;
      const isInside = around >= 4 * EDGE;
      const nearest = nearestEdge(cover, side, corner, isInside ? 255 : 0, isInside ? toGap : toInk);
      const distance = Math.floor((Math.max(nearest, 0) * (EDGE - 1)) / (REACH_PX << 8));
      field[y * width + x] = isInside ? EDGE + distance : EDGE - 1 - distance;
    }
  }
  return field;
}

/**
 * Returns for each pixel from `first` to before `end` how many pixels further on one has other coverage than `plain`, no
 * more than the window is wide: most windows hold none, and are not searched.
 */
function stepsTo(cover: Uint8Array, plain: number, first: number, end: number): Uint8Array {
  const steps = new Uint8Array(end);
  let ahead = WINDOW;
  for (let pixel = end - 1; pixel >= first; pixel--) {
    ahead = cover[pixel] === plain ? Math.min(ahead + 1, WINDOW) : 0;
    steps[pixel] = ahead;
  }
  return steps;
}

/**
 * Returns the distance from the middle of a window, whose upper left pixel is `corner`, to the nearest edge in it, in 1/256
 * pixel.
 *
 * @param plain coverage without an edge
 * @param steps `stepsTo` for that coverage
 */
function nearestEdge(
  cover: Uint8Array,
  side: number,
  corner: number,
  plain: number,
  steps: Uint8Array,
): number {
  let nearest = REACH_PX << 8;
  for (let row = 0; row < WINDOW; row++) {
    const start = corner + row * side;
    for (let step = steps[start]!; step < WINDOW; step++) {
      const value = Math.abs(plain - cover[start + step]!);
      // The coverage of the pixel gives the place of the edge inside it.
      if (value > 0) nearest = Math.min(nearest, DISTANCES[row * WINDOW + step]! + EDGE - value);
    }
  }
  return nearest;
}
