// Turns a glyph's cover into a distance field: how far each point is from the edge of the ink. Unlike cover, a field can be drawn at any
// size and bent, and still says between its points where the edge runs, to a fraction of a pixel.

/** Pixels of the cover for each point of the field, in each direction. */
export const COVER_PER_POINT = 2;

/** How far from the edge the field goes on changing, in points; beyond that it is 0 outside and 255 inside. */
export const FIELD_REACH = 3;

/** The value of a point on the edge itself. */
export const EDGE = 128;

const REACH_PX = FIELD_REACH * COVER_PER_POINT;
/** Pixels that lie within reach of a point, left and right of it alike: a point is where four pixels meet. */
const WINDOW = 2 * REACH_PX;
/** Distance of each pixel of the window from the point, in 1/256 pixel. */
const DISTANCES = Int32Array.from({ length: WINDOW * WINDOW }, (_, at) => {
  const x = (at % WINDOW) - REACH_PX + 0.5;
  const y = Math.floor(at / WINDOW) - REACH_PX + 0.5;
  return Math.floor(Math.sqrt(x * x + y * y) * 256);
});

/**
 * The field of `width` × `height` points, row by row, whose first point lies at the corner `left`, `top` of the cover's pixels.
 *
 * @param cover 0 to 255 for each pixel, in rows of `side`; with nothing but paper within reach of its border
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
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const corner = (top + y * COVER_PER_POINT - REACH_PX) * side + left + x * COVER_PER_POINT - REACH_PX;
      field[y * width + x] = valueAt(cover, side, corner);
    }
  }
  return field;
}

/** The value of the point in the middle of the window whose upper left pixel is `corner`. */
function valueAt(cover: Uint8Array, side: number, corner: number): number {
  const middle = corner + (REACH_PX - 1) * side + REACH_PX - 1;
  const around = cover[middle]! + cover[middle + 1]! + cover[middle + side]! + cover[middle + side + 1]!;
  const isInside = around >= 4 * EDGE;
  let nearest = REACH_PX << 8;
  for (let row = 0, at = 0; row < WINDOW; row++) {
    for (let pixel = corner + row * side; at < (row + 1) * WINDOW; at++, pixel++) {
      const value = isInside ? 255 - cover[pixel]! : cover[pixel]!;
      // The edge runs through the pixel itself, by how much of it is covered.
      if (value > 0) nearest = Math.min(nearest, DISTANCES[at]! + EDGE - value);
    }
  }
  const distance = Math.floor((Math.max(nearest, 0) * (EDGE - 1)) / (REACH_PX << 8));
  return isInside ? EDGE + distance : EDGE - 1 - distance;
}
