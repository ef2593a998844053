// Turns the coverage of a glyph into a distance field: how far each point is from the edge of the ink. Unlike coverage, a field can be scaled and
// bent, and still gives the edge between its points to a fraction of a pixel.

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
 * Returns the field of `width` × `height` points, row by row. Its first point is the upper left corner of the pixel `left`, `top`.
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
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const corner = (top + y * COVER_PER_POINT - REACH_PX) * side + left + x * COVER_PER_POINT - REACH_PX;
      field[y * width + x] = valueAt(cover, side, corner);
    }
  }
  return field;
}

/** Returns the value of the point in the middle of the window whose upper left pixel is `corner`. */
function valueAt(cover: Uint8Array, side: number, corner: number): number {
  const middle = corner + (REACH_PX - 1) * side + REACH_PX - 1;
  const around = cover[middle]! + cover[middle + 1]! + cover[middle + side]! + cover[middle + side + 1]!;
  const isInside = around >= 4 * EDGE;
  let nearest = REACH_PX << 8;
  for (let row = 0, at = 0; row < WINDOW; row++) {
    for (let pixel = corner + row * side; at < (row + 1) * WINDOW; at++, pixel++) {
      const value = isInside ? 255 - cover[pixel]! : cover[pixel]!;
      // The coverage of the pixel gives the place of the edge inside it.
      if (value > 0) nearest = Math.min(nearest, DISTANCES[at]! + EDGE - value);
    }
  }
  const distance = Math.floor((Math.max(nearest, 0) * (EDGE - 1)) / (REACH_PX << 8));
  return isInside ? EDGE + distance : EDGE - 1 - distance;
}
