// Removes personal data and secrets from the messages of foreign code.

const LONGEST = 200;
const HIDDEN = '[hidden]';

/** Values recognised by their form. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  // The user and the password of a URL.
  [/\/\/[^\s/]*@/g, '//'],
  // Stored hashes: $2b$…, $argon2id$…, $scrypt$….
  [/\$[a-z0-9-]+\$\S*/gi, HIDDEN],
  [/[^\s@<>()"'`=,;:]+@[^\s@<>()"'`=,;:]+/g, HIDDEN],
  // A database reports `Key (email)=(ada@example.com)`, and lists the arguments of a statement.
  [/=\s*\([^)]*\)?/g, `=(${HIDDEN})`],
  [/\b(params|parameters|args|arguments|values)\b.*/gi, `$1 ${HIDDEN}`],
  [/'[^']*'?/g, HIDDEN],
  [/`[^`]*`?/g, HIDDEN],
  // Keys, tokens and digests.
  [/[\w+=-]{24,}/g, HIDDEN],
];

/** A quoted string is a value unless the word before it announces a name in the database. */
const QUOTED =
  /(\b(?:column|constraint|database|function|host|index|relation|role|schema|table|type) )?"[^"]*"?/gi;

/**
 * Returns the class of an error and the first line of its message, at most 200 characters, without e-mail addresses, hashes,
 * URL passwords, quoted values, statement arguments and long keys.
 *
 * @param given arguments of the failed code; they are hidden in the message
 */
export function redactedMessage(error: unknown, given: readonly (string | number)[] = []): string {
  if (!(error instanceof Error)) return 'a non-error value';
  const [line = ''] = error.message.split('\n', 1);
  const unnamed = given.reduce<string>(hideValue, line);
  const text = VALUES.reduce(
    (shown, [pattern, by]) => shown.replace(pattern, by),
    unnamed.replace(QUOTED, (quoted, name?: string) => (name === undefined ? HIDDEN : quoted)),
  ).trim();
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return shown === '' ? error.name : `${error.name}: ${shown}`;
}

/** Hides a number only as a whole word: a 1 is also part of addresses and ports. */
function hideValue(text: string, value: string | number): string {
  if (value === '') return text;
  if (typeof value === 'string') return text.replaceAll(value, HIDDEN);
  return text.replace(new RegExp(`(?<![\\w.])${value}(?![\\w.])`, 'g'), HIDDEN);
}
