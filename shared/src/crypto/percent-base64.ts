// Decodes percent-encoded Base64, in the one spelling that encoding gives.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const [PERCENT, TWO, THREE, B, D, F] = Buffer.from('%23BDF');

/** What stands for no digit, as a number above all digits. */
const PADDING = 64;
const OTHER = 65;

/** The digit of each byte that stands for itself. */
const VALUES = new Uint8Array(256).fill(OTHER);
for (const [digit, character] of [...DIGITS].entries()) {
  if (encodeURIComponent(character) === character) VALUES[character.charCodeAt(0)] = digit;
}

/**
 * Creates a decoder. One pass over the characters takes less than 60 % of the time of percent-decoding, Node's decoder and
 * a comparison with the text encoded again, which is needed because that decoder accepts other spellings too.
 * @param maxCharacters length of the longest text that is decoded
 * @returns a function that returns the bytes of a text, or null unless the text is exactly
 *   `encodeURIComponent(bytes.toString('base64'))`; the bytes are valid until its next call
 */
export function createPercentBase64Decoder(maxCharacters: number): (text: string) => Buffer | null {
  // As UTF-8, so that a character beyond ASCII does not become a digit.
  const characters = Buffer.alloc(3 * maxCharacters);
  const bytes = Buffer.alloc(maxCharacters);
  return (text) => {
    if (text.length > maxCharacters) return null;
    const end = characters.write(text);
    let at = 0;
    let length = 0;
    let group = 0;
    let digits = 0;
    while (at < end) {
      // Most groups of four digits have no percent sign.
      while (digits === 0 && at + 4 <= end) {
        const first = VALUES[characters[at]!]!;
        const second = VALUES[characters[at + 1]!]!;
        const third = VALUES[characters[at + 2]!]!;
        const fourth = VALUES[characters[at + 3]!]!;
        if ((first | second | third | fourth) >= PADDING) break;
        bytes[length] = (first << 2) | (second >> 4);
        bytes[length + 1] = (second << 4) | (third >> 2);
        bytes[length + 2] = (third << 6) | fourth;
        length += 3;
        at += 4;
      }
      if (at === end) break;
      let value = VALUES[characters[at]!]!;
      if (characters[at] === PERCENT) {
        // Behind the end is what an earlier text left.
        if (at + 3 > end) return null;
        value = escaped(characters[at + 1], characters[at + 2]);
        if (value === PADDING) break;
        at += 2;
      }
      if (value === OTHER) return null;
      at += 1;
      group = (group << 6) | value;
      digits += 1;
      if (digits < 4) continue;
      bytes[length] = group >> 16;
      bytes[length + 1] = group >> 8;
      bytes[length + 2] = group;
      length += 3;
      group = 0;
      digits = 0;
    }
    if (digits === 0) return at === end ? bytes.subarray(0, length) : null;
    if (digits === 1 || text.slice(at) !== '%3D'.repeat(4 - digits)) return null;
    // The bits of the last digit that belong to no byte.
    const unused = digits === 2 ? 4 : 2;
    if ((group & ((1 << unused) - 1)) !== 0) return null;
    if (digits === 3) bytes[length++] = group >> 10;
    bytes[length++] = group >> unused;
    return bytes.subarray(0, length);
  };
}

/** The value of `%` and two more bytes. */
function escaped(high: number | undefined, low: number | undefined): number {
  if (high === TWO && low === B) return 62;
  if (high === TWO && low === F) return 63;
  return high === THREE && low === D ? PADDING : OTHER;
}
