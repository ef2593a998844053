// Checks secrets: their length, that they are random, and that they differ.

const FEWEST_DIFFERENT = 8;

/** The message for a weak secret; it follows the name of the variable. */
export const WEAK_SECRET =
  'is too easy to guess, with few different characters or a pattern that repeats: make one with openssl rand -hex 32';

/**
 * Returns whether a secret of at least 32 characters has fewer than 8 different ones, or repeats a quarter of its length.
 * Of random secrets of 32 hexadecimal digits, the shortest accepted ones, fewer than one in a million is refused.
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

const SHORTEST_SECRET = 32;

/**
 * Checks that secrets have at least 32 characters and are not easy to guess, and that no element is empty or appears twice
 * in all lists. The lines show no secret.
 *
 * @param lists comma-separated lists by variable; the schema checks whether one is missing
 */
export function checkSecrets(lists: Readonly<Record<string, string | undefined>>): string[] {
  const owners = new Map<string, string>();
  return Object.entries(lists).flatMap(([name, list]) => {
    const mistakes = new Set<string>();
    for (const secret of list?.split(',') ?? []) {
      const owner = owners.get(secret);
      if (secret === '') mistakes.add(`${name} must not have an empty element`);
      else if ([...secret].length < SHORTEST_SECRET) {
        mistakes.add(`${name} must have at least ${SHORTEST_SECRET} characters in each element`);
      } else if (isWeakSecret(secret)) mistakes.add(`${name} ${WEAK_SECRET}`);
      else if (owner === name) mistakes.add(`${name} must not have the same element twice`);
      else if (owner !== undefined) mistakes.add(`${name} must not share an element with ${owner}`);
      else owners.set(secret, name);
    }
    return [...mistakes];
  });
}
