// Console warnings for developers about problems that users cannot fix.

const said = new Set<string>();

/** Logs a sentence once per page. */
export function warnOnce(sentence: string): void {
  if (said.has(sentence)) return;
  said.add(sentence);
  console.warn(`Tollgate: ${sentence}`);
}
