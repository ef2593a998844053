// Compares a reader's answers with the texts of the images, case-insensitively, as the service does.

export interface Agreement {
  /** Texts read without a mistake. */
  readonly exact: number;
  /** Characters read at their own place, counted from the left. */
  readonly placed: number;
  /** Characters kept in an alignment with the fewest insertions, deletions and substitutions. */
  readonly aligned: number;
  readonly texts: number;
  readonly characters: number;
}

/** Compares each answer with the text at the same index. */
export function compareAll(texts: readonly string[], answers: readonly string[]): Agreement {
  const sum = { exact: 0, placed: 0, aligned: 0, texts: texts.length, characters: 0 };
  texts.forEach((shown, index) => {
    const text = shown.toLowerCase();
    const answer = answers[index]!.toLowerCase();
    if (answer === text) sum.exact++;
    for (let at = 0; at < text.length; at++) if (text[at] === answer[at]) sum.placed++;
    sum.aligned += alignedCharacters(text, answer);
    sum.characters += text.length;
  });
  return sum;
}

/** Compares the answers with the texts of other images: a reader's hits at random. */
export function compareByChance(texts: readonly string[], answers: readonly string[]): Agreement {
  const sum = { exact: 0, placed: 0, aligned: 0, texts: 0, characters: 0 };
  for (let shift = 1; shift <= Math.min(10, texts.length - 1); shift++) {
    const one = compareAll([...texts.slice(shift), ...texts.slice(0, shift)], answers);
    for (const count of Object.keys(sum) as (keyof Agreement)[]) sum[count] += one[count];
  }
  return sum;
}

/** Returns the characters kept by the cheapest edit between two texts (V. Levenshtein, 1965), or the maximum of several. */
function alignedCharacters(text: string, answer: string): number {
  const editCost = 1 << 16;
  // Cost and kept characters in one number, so that the smaller is the better.
  let above = Array.from({ length: answer.length + 1 }, (_, column) => column * editCost);
  for (const character of text) {
    const row = [above[0]! + editCost];
    for (let column = 1; column <= answer.length; column++) {
      const step = character === answer[column - 1] ? -1 : editCost;
      row.push(Math.min(above[column - 1]! + step, above[column]! + editCost, row[column - 1]! + editCost));
    }
    above = row;
  }
  const total = above.at(-1)!;
  return Math.ceil(total / editCost) * editCost - total;
}
