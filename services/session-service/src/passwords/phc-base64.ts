// The Base64 of password hashes in PHC form: the common alphabet, no padding, one text per value.

/** Bytes as text. */
export function encodePhc(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Text as bytes; undefined when it is not exactly what `encodePhc` gives. */
export function decodePhc(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return encodePhc(bytes) === text ? bytes : undefined;
}
