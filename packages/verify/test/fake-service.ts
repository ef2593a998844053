// A service in the place of `fetch`, for responses that the real one gives rarely.

/** A request that was sent. */
export interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it whole
  readonly body: any;
}

export interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly json?: unknown;
}

type Answer = FakeResponse | Error | Promise<FakeResponse>;

/** @param respond the response to the nth request, counted from 0; an error in place of one */
export function service(respond: (at: number, init: RequestInit) => Answer, sent: Sent[] = []) {
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { method, headers, body } = init;
    sent.push({ url, method, headers: headers as Record<string, string>, body: JSON.parse(String(body)) });
    const answer = await respond(sent.length - 1, init);
    if (answer instanceof Error) throw answer;
    const { status = 200, json = {}, headers: own = {} } = answer;
    const hasBody = status !== 204;
    return new Response(hasBody ? (typeof json === 'string' ? json : JSON.stringify(json)) : null, {
      status,
      headers: own,
    });
  };
  return { fetch, sent };
}
