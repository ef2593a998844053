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

const SHORTEST_SECRET = 32;

/**
 * Secrets have at least 32 characters and are not easy to guess, no list has an empty element, and no two elements of all lists are equal
 * (decisions 3.3). The lines show no secret.
 *
 * @param lists the comma-separated lists by variable; unset ones are left to the schema
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
