// A response as received, and readers for it.

/** A response. With status 0 there was none, and `text` has the reason. */
export interface Answer {
  readonly status: number;
  /** By name in lower case; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `Set-Cookie` headers, literally. */
  readonly cookies: readonly string[];
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body if it is a JSON object, otherwise empty. */
  readonly json: Readonly<Record<string, unknown>>;
  /** This machine's address on the connection. */
  readonly localAddress: string;
}

/** The `code` of an error of Tollgate; undefined for any other response. */
export function codeOf({ json }: Answer): string | undefined {
  return typeof json.code === 'string' ? json.code : undefined;
}

/** A string of the body by its name, or an empty one. */
export function textOf({ json }: Answer, name: string): string {
  const value = json[name];
  return typeof value === 'string' ? value : '';
}

/** Describes an unexpected response: its status and code, or the reason for no response. */
export function describe(answer: Answer): string {
  if (answer.status === 0) return `no response (${answer.text})`;
  const code = codeOf(answer);
  return code === undefined ? `${answer.status}` : `${answer.status} (${code})`;
}

/** Whether a header with a comma-separated list has an element, case-insensitively. */
export function lists(answer: Answer, header: string, name: string): boolean {
  const names = (answer.headers[header] ?? '').split(',').map((each) => each.trim().toLowerCase());
  return names.includes(name.toLowerCase());
}

/** A cookie set by a response. */
export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Attributes by name in lower case; of a repeated one, the last. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads a `Set-Cookie` header as a browser does (RFC 6265, 5.2). */
export function readSetCookie(header: string): SetCookie {
  const [pair = '', ...rest] = header.split(';');
  const [name, value] = splitPair(pair);
  const attributes = new Map(
    rest.map((text) => {
      const [key, word] = splitPair(text);
      return [key.toLowerCase(), word] as const;
    }),
  );
  return { name, value, attributes };
}

function splitPair(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 0) return [text.trim(), ''];
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
