// Finds duplicate keys of a JSON object: the parser silently takes the last one.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * Returns the duplicate keys of the object itself, not of objects inside it.
 * @param text valid JSON
 */
export function repeatedKeys(text: string): string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ':' && depth === 1) {
      const key: string = JSON.parse(last);
      if (seen.has(key)) repeated.push(key);
      seen.add(key);
    }
    last = token;
  }
  return repeated;
}
