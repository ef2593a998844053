// The bundled fonts, and the characters they hold. `fonts/README.md` says where each is from.
import { fileURLToPath } from 'node:url';

/**
 * Characters that stay apart even when letters touch, lean and bend, each in the case that reads best. Left out are
 * 0/O/D/Q, 1/I/L/J, Z, 5/S, 6/G/b, 8/B and 9/g/q; F and E, which a neighbour's foot makes of each other; M, N, U, V and W, which merge
 * with their like; 4, which passes for an A, and 7 for a T; and every lower-case letter that is half of another (r and n, c and l).
 * K is best kept apart from H and X, which it passes for, and Y from H and T.
 */
export const BUNDLED_CHARACTERS = 'ACdeHKPRTXY23';

/** Names of the bundled fonts, as presets use them; each is a file of that name in `fonts/`. */
export const FONT_NAMES = ['open-sans', 'roboto-condensed', 'roboto-slab', 'cantarell'] as const;

export type FontName = (typeof FONT_NAMES)[number];

const FAMILIES: Record<FontName, string> = {
  'open-sans': 'Tollgate Open Sans',
  'roboto-condensed': 'Tollgate Roboto Condensed',
  'roboto-slab': 'Tollgate Roboto Slab',
  cantarell: 'Tollgate Cantarell',
};

/** The family name inside the file: our own, so that a font of the machine is never taken in its place. */
export function fontFamily(font: FontName): string {
  return FAMILIES[font];
}

/** The absolute path of a bundled font. */
export function fontPath(font: FontName): string {
  return fileURLToPath(new URL(`../../../fonts/${font}.ttf`, import.meta.url));
}
