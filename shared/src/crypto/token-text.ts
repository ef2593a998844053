// The text of a token or cookie as clients send it: read in every spelling, used in one.

/** The longest text that is read, in characters, as it arrives. */
export const MAX_TOKEN_CHARACTERS = 4096;

/** Cookie libraries decode a value, and clients encode one that is encoded already. */
const MOST_DECODINGS = 2;

/**
 * Returns the one spelling of a token: the text without percent-encoding, after at most two decodings. No token contains
 * a percent sign, so further calls change nothing. Caches and comparisons use this text alone.
 * @returns an empty text, which is never valid, for a malformed percent sequence, for one that two decodings leave, and
 *   for more than `MAX_TOKEN_CHARACTERS`
 */
export function canonicalText(text: string): string {
  if (text.length > MAX_TOKEN_CHARACTERS) return '';
  let decoded = text;
  try {
    for (let n = 0; n < MOST_DECODINGS && decoded.includes('%'); n++) decoded = decodeURIComponent(decoded);
  } catch {
    return '';
  }
  return decoded.includes('%') ? '' : decoded;
}

/**
 * Blanks between two cookies. `trim` drops more, such as the byte A0: a browser lets another host of the site set `\xA0__Host-x`,
 * which would count as `__Host-x`, and which no response that expires `__Host-x` removes.
 */
const LEADING_BLANKS = /^[ \t]+/;

/**
 * Returns the canonical text of every cookie of a name, in order; double quotes around a value are not part of it (RFC
 * 6265, 4.1.1). Cookie parsers return one value per name, so a planted twin would hide the real cookie.
 * @param header the `Cookie` header
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  if (header === undefined || !header.includes(name)) return [];
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at <= 0 || pair.slice(0, at).replace(LEADING_BLANKS, '') !== name) continue;
    const value = pair.slice(at + 1).trim();
    values.push(canonicalText(/^"(.*)"$/s.exec(value)?.[1] ?? value));
  }
  return values;
}
