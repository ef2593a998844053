// Tells a secret that was made by chance from one that was typed.

const FEWEST_DIFFERENT = 8;

/** What follows the name of a variable whose secret is weak. */
export const WEAK_SECRET =
  'is too easy to guess, with few different characters or a pattern that repeats: make one with openssl rand -hex 32';

/**
 * Whether a secret of at least 32 characters has fewer than 8 different ones, or a piece of a quarter of its length
 * twice. Of random secrets of 32 hexadecimal digits, the shortest that pass, fewer than one in a million is refused.
 */
export function isWeakSecret(secret: string): boolean {
  const characters = [...secret];
  if (new Set(characters).size < FEWEST_DIFFERENT) return true;
  const length = Math.floor(characters.length / 4);
  const pieces = new Set<string>();
  for (let at = 0; at + length <= characters.length; at++) {
    const piece = characters.slice(at, at + length).join('');
    if (pieces.has(piece)) return true;
    pieces.add(piece);
  }
  return false;
}
