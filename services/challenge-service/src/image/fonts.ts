// The bundled fonts and their characters. `fonts/README.md` names the sources.
import { fileURLToPath } from 'node:url';

/**
 * Characters that remain distinguishable when letters touch, tilt and bend, each in its more readable case. The set omits
 * 0/O/D/Q, 1/I/L/J, Z, 5/S, 6/G/b, 8/B and 9/g/q; F and E, which the serif of a neighbour turns into each other; M, N, U, V
 * and W, which merge with each other; 4, which looks like an A, and 7, which looks like a T; and lower-case letters that are
 * half of another (r and n, c and l). An alphabet is more readable without K beside H and X, and without Y beside H and T.
 */
export const BUNDLED_CHARACTERS = 'ACdeHKPRTXY23';

/** Names of the bundled fonts in presets; `fonts/` has a file for each. */
export const FONT_NAMES = ['open-sans', 'roboto-condensed', 'roboto-slab', 'cantarell'] as const;

export type FontName = (typeof FONT_NAMES)[number];

const FAMILIES: Record<FontName, string> = {
  'open-sans': 'Tollgate Open Sans',
  'roboto-condensed': 'Tollgate Roboto Condensed',
  'roboto-slab': 'Tollgate Roboto Slab',
  cantarell: 'Tollgate Cantarell',
};

/** Returns the family name to register the font under: unique, so that no font of the machine is used instead. */
export function fontFamily(font: FontName): string {
  return FAMILIES[font];
}

/** Returns the absolute path of a bundled font. */
export function fontPath(font: FontName): string {
  return fileURLToPath(new URL(`../../../fonts/${font}.ttf`, import.meta.url));
}
