// A proxy between browser and gateway in these tests: it sees every request, and can simulate network faults.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchPath, watchScript } from './watch-script.js';

/** A response of this front itself. */
export interface OwnAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response that has set a refresh cookie. */
export interface SetCookie {
  /** The request, such as `POST /login`. */
  readonly what: string;
  /** Whether the request proved a key of the browser. */
  readonly hasProof: boolean;
  /** The kind of key to which the response says the session is bound. */
  readonly binding: string | undefined;
  /** Name and value. */
  readonly cookie: string;
}

export interface Front {
  /** `http://localhost:PORT` */
  readonly address: string;
  readonly port: number;
  /** Completed requests, oldest first, such as `POST /login 401 login_failed`; without queries and tokens. */
  readonly answered: string[];
  /** Responses that have set a refresh cookie, oldest first. */
  readonly cookies: SetCookie[];
  /** Errors of the pages' scripts, and violations of their policies. */
  readonly complaints: string[];
  /** The answer to the newest image, which the service returns in test mode. */
  imageAnswer(): string;
  /**
   * Forwards paths with this prefix to that port of this machine.
   * @param host the name and port of the browser's request; the original ones by default
   */
  forward(path: string, port: number, host?: string): void;
  /**
   * Guards paths with this prefix: asks the gate on that port first, as a gateway does, and then serves the response.
   */
  guard(path: string, gatePort: number, answer: OwnAnswer): void;
  /** Serves this itself from now on. @param path without a query */
  serve(path: string, answer: OwnAnswer): void;
  /**
   * Delays the responses to these requests, such as `POST /login`.
   * @param part the delayed part of them: all by default
   * @returns releases them
   */
  hold(what: string, part?: 'all' | 'body'): () => void;
  /** Responds to these requests in place of the service. @returns ends that */
  refuse(what: string, answer: OwnAnswer): () => void;
  /** Closes all connections and accepts no new one, like a lost network. @returns restores it */
  cut(): Promise<() => Promise<void>>;
  /** Ends all delays and replaced responses. */
  restore(): void;
  stop(): Promise<void>;
}

interface Hold {
  readonly part: 'all' | 'body';
  readonly released: Promise<void>;
  readonly release: () => void;
}

interface Upstream {
  readonly path: string;
  readonly port: number;
  readonly host?: string | undefined;
}

/** Listens on a free port. */
export async function startFront(): Promise<Front> {
  const answered: string[] = [];
  const cookies: SetCookie[] = [];
  const complaints: string[] = [];
  const own = new Map<string, OwnAnswer>([
    [watchPath, { headers: { 'content-type': 'text/javascript' }, body: watchScript }],
  ]);
  const holds = new Map<string, Hold>();
  const refusals = new Map<string, OwnAnswer>();
  const upstreams: Upstream[] = [];
  const guarded = new Map<string, { readonly gatePort: number; readonly answer: OwnAnswer }>();
  let imageAnswer = '';

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    const what = `${incoming.method} ${pathname.replace(/\w{40}/, 'TOKEN')}`;
    if (what === `POST ${watchPath}`) {
      complaints.push(Buffer.concat(await incoming.toArray()).toString());
      response.writeHead(204).end();
      return;
    }
    const ownAnswer = refusals.get(what) ?? (incoming.method === 'GET' ? own.get(pathname) : undefined);
    const upstream = upstreams.find(({ path }) => pathname.startsWith(path));
    const [, guard] = [...guarded].find(([path]) => pathname.startsWith(path)) ?? [];
    if (guard !== undefined) {
      const refusal = await askGate(guard.gatePort, incoming);
      const { status = 200, headers = {}, body } = refusal ?? guard.answer;
      answered.push(`${what} ${status}`);
      response.writeHead(status, headers).end(body);
      return;
    }
    const answer =
      ownAnswer !== undefined || upstream === undefined
        ? { status: ownAnswer ? 200 : 404, body: '', headers: {}, code: '', ...ownAnswer }
        : await ask(upstream, incoming, incoming);
    const held = holds.get(what);
    if (held?.part === 'all') await held.released;
    noteCookie(what, incoming, answer.headers);
    response.writeHead(answer.status, answer.headers);
    response.flushHeaders();
    answered.push(`${what} ${answer.status} ${answer.code}`.trim());
    if (held?.part === 'body') await held.released;
    response.end(answer.body);
  }

  function noteCookie(what: string, { headers: asked }: IncomingMessage, answer: IncomingMessage['headers']) {
    const set = answer['set-cookie']?.findLast((each) => /^refreshToken=[^;]/.test(each));
    if (set === undefined) return;
    const binding = answer['refresh-binding'];
    cookies.push({
      what,
      hasProof: 'refresh-proof' in asked,
      cookie: set.split(';')[0] ?? '',
      binding: typeof binding === 'string' ? binding : undefined,
    });
  }

  /** Returns the visitor's response in place of the page; undefined if the request may pass. */
  async function askGate(port: number, { method = 'GET', url = '/', headers }: IncomingMessage) {
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...others } = headers;
    const question = {
      url: '/api/captcha/gate/check',
      headers: {
        ...others,
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': headers.host,
        'x-forwarded-proto': 'http',
        'x-forwarded-method': method,
        'x-forwarded-uri': url,
      },
    };
    const answer = await ask({ path: '/', port }, question);
    return answer.status === 204 ? undefined : answer;
  }

  async function ask(
    { port, host }: Upstream,
    { method = 'GET', url, headers }: Partial<Pick<IncomingMessage, 'method' | 'url' | 'headers'>>,
    sent?: IncomingMessage,
  ) {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path: url,
      headers: { ...headers, ...(host && { host }), 'accept-encoding': 'identity' },
    });
    if (sent === undefined) outgoing.end();
    else sent.pipe(outgoing);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
    });
    let body = Buffer.concat(await answer.toArray());
    const { connection: _connection, 'keep-alive': _keepAlive, ...kept } = answer.headers;
    let code = '';
    if (/^text\/html/.test(kept['content-type'] ?? '')) {
      body = Buffer.from(body.toString().replace('<head>', `<head><script src="${watchPath}"></script>`));
    } else if (/^application\/json/.test(kept['content-type'] ?? '') && body.length > 0) {
      const said = JSON.parse(body.toString());
      if (typeof said?.answer === 'string') imageAnswer = said.answer;
      code = said?.code ?? '';
    }
    if (body.length > 0) kept['content-length'] = String(body.length);
    return { status: answer.statusCode ?? 502, headers: kept, body, code };
  }

  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    address: `http://localhost:${port}`,
    port,
    answered,
    cookies,
    complaints,
    imageAnswer: () => imageAnswer,
    forward(path, port, host) {
      upstreams.push({ path, port, host });
      upstreams.sort((a, b) => b.path.length - a.path.length);
    },
    guard: (path, gatePort, answer) => void guarded.set(path, { gatePort, answer }),
    serve: (path, answer) => void own.set(path, answer),
    hold(what, part = 'all') {
      let end = () => {};
      const released = new Promise<void>((resolve) => {
        end = resolve;
      });
      const release = () => {
        holds.delete(what);
        end();
      };
      holds.set(what, { part, released, release });
      return release;
    },
    refuse(what, answer) {
      refusals.set(what, answer);
      return () => void refusals.delete(what);
    },
    async cut() {
      await close();
      return () => listen(port);
    },
    restore() {
      for (const { release } of holds.values()) release();
      refusals.clear();
    },
    stop: close,
  };
}
