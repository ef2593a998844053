// Text of any kind as the value of a header.

/**
 * UTF-8 with every byte outside printable ASCII, and `%` itself, percent-encoded (decisions 3.1). A space is
 * encoded too: at either end of a value HTTP would drop it.
 */
export function headerText(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]/gu, encodeBytes);
}

function encodeBytes(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
