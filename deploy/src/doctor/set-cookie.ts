// Reads a Set-Cookie header as a browser does (RFC 6265, 5.2).

/** A cookie that an answer sets. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Attributes by name in lower case; of one that stands there twice, the last. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads one header. */
export function readSetCookie(header: string): SetCookie {
  const [pair = '', ...rest] = header.split(';');
  const [name, value] = split(pair);
  const attributes = new Map(
    rest.map((text) => {
      const [key, word] = split(text);
      return [key.toLowerCase(), word] as const;
    }),
  );
  return { name, value, attributes };
}

function split(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 0) return [text.trim(), ''];
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
