// Tells developers in the console what a person cannot mend.

const said = new Set<string>();

/** Says a sentence once per page, however often it is true. */
export function warnOnce(sentence: string): void {
  if (said.has(sentence)) return;
  said.add(sentence);
  console.warn(`Tollgate: ${sentence}`);
}
