// An answer as it came over the wire, and how to read it.

/** What came back. Status 0 says that nothing did; `text` says why. */
export interface Answer {
  readonly status: number;
  /** By name in lower case; of a header that came several times, the values joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The `Set-Cookie` headers, literally. */
  readonly cookies: readonly string[];
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The body when it is a JSON object, else empty. */
  readonly json: Readonly<Record<string, unknown>>;
  /** This machine's address on the connection. */
  readonly localAddress: string;
}

/** The `code` of an error of Tollgate; undefined when somebody else answered. */
export function codeOf({ json }: Answer): string | undefined {
  return typeof json.code === 'string' ? json.code : undefined;
}

/** A text of the body, or an empty one. */
export function textOf({ json }: Answer, name: string): string {
  const value = json[name];
  return typeof value === 'string' ? value : '';
}

/** What a person is told about an answer that should have been another. */
export function describe(answer: Answer): string {
  if (answer.status === 0) return `no answer (${answer.text})`;
  const code = codeOf(answer);
  return code === undefined ? `${answer.status}` : `${answer.status} (${code})`;
}

/** Whether a header with a comma-separated list names something, in whatever case. */
export function lists(answer: Answer, header: string, name: string): boolean {
  const names = (answer.headers[header] ?? '').split(',').map((each) => each.trim().toLowerCase());
  return names.includes(name.toLowerCase());
}
