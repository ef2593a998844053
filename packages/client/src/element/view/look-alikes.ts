// Characters that people mistake for each other in an image.

const groups = ['2Z', '38B', 'CG', '0OQD', '1IL', '5S', '6G', 'UV'];

/**
 * Replaces each impossible character with its look-alike, if exactly one is possible.
 * @param characters possible characters, in capitals if case is ignored; undefined if unknown
 * @returns a text of the same length
 */
export function foldLookAlikes(text: string, characters: string | undefined): string {
  if (characters === undefined) return text;
  return [...text].map((character) => fold(character, characters)).join('');
}

function fold(character: string, characters: string): string {
  const ignoresCapitals = characters === characters.toUpperCase();
  const capital = ignoresCapitals ? character.toUpperCase() : character;
  if (characters.includes(capital)) return character;
  const alike = groups
    .filter((group) => group.includes(capital))
    .flatMap((group) => [...group].filter((other) => characters.includes(other)));
  return alike.length === 1 ? (alike[0] as string) : character;
}
