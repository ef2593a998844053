// Checks secrets: their length, that they are random, and that they differ.

const FEWEST_DIFFERENT = 8;

/** The message for a weak secret; it follows the name of the variable. */
export const WEAK_SECRET =
  'is too easy to guess, with few different characters or a pattern that repeats: make one with openssl rand -hex 32';

/**
 * Returns whether a secret of at least 32 characters has fewer than 8 different ones, or repeats a quarter of its length. Of
 * random secrets of 32 hexadecimal digits, the shortest accepted ones, fewer than one in a million is rejected.
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

/** Secrets as comma-separated lists, by variable; the schema checks whether one is missing. */
type SecretLists = Readonly<Record<string, string | undefined>>;

/**
 * Checks that secrets have at least 32 characters and are hard to guess, and that no element is empty, has white space around
 * it, or appears twice across all lists. The lines contain no secret.
 *
 * @param options.allowWeak accepts short secrets and those that are easy to guess
 */
export function checkSecrets(lists: SecretLists, { allowWeak = false } = {}): string[] {
  const owners = new Map<string, string>();
  return Object.entries(lists).flatMap(([name, list]) => {
    const mistakes = new Set<string>();
    for (const secret of list?.split(',') ?? []) {
      const owner = owners.get(secret);
      const weakness = allowWeak ? undefined : weaknessOf(secret);
      if (secret === '') mistakes.add(`${name} must not have an empty element`);
      // It would belong to the key, which then differs from the same one elsewhere in the list or in a file.
      else if (secret !== secret.trim()) mistakes.add(`${name} must not have white space around an element`);
      else if (weakness !== undefined) mistakes.add(`${name} ${weakness}`);
      else if (owner === name) mistakes.add(`${name} must not have the same element twice`);
      else if (owner !== undefined) mistakes.add(`${name} must not share an element with ${owner}`);
      else owners.set(secret, name);
    }
    return [...mistakes];
  });
}

/** Returns a line for each variable with a short or guessable secret. */
export function weakSecrets(lists: SecretLists): string[] {
  return Object.entries(lists).flatMap(([name, list]) => {
    const weakness = list?.split(',').map(weaknessOf).find(Boolean);
    return weakness === undefined ? [] : [`${name} ${weakness}`];
  });
}

function weaknessOf(secret: string): string | undefined {
  if ([...secret].length < SHORTEST_SECRET)
    return `must have at least ${SHORTEST_SECRET} characters in each element`;
  return isWeakSecret(secret) ? WEAK_SECRET : undefined;
}
