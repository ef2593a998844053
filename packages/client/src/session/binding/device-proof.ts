// Proves possession of this browser's key at login and refresh, so that a stolen refresh cookie is useless. Loaded on demand.

import { type DeviceKey, openDeviceKeys } from './device-key.js';

/** Platform functions for proofs. */
export interface ProofEnvironment {
  nowMs(): number;
  startTimer(callback: () => void, ms: number): number;
  stopTimer(timer: number): void;
  readonly pageUrl: string;
}

/** Sends a request with additional headers. */
export type SendWith = (headers?: Record<string, string>) => Promise<Response>;

export interface ProvenRequest extends RequestInit {
  readonly method: string;
  readonly signal: AbortSignal;
}

export interface Prover {
  /**
   * Sends a login or refresh with a proof, and repeats it if the service requires one. After a logout it removes key and
   * nonces of the session; a later login of another tab keeps its key.
   * @param path relative to the base
   */
  prove(path: string, init: ProvenRequest, send: SendWith): Promise<Response>;
  /** Binds the session of a login without a key. If this fails, the next refresh does it. */
  bind(): Promise<void>;
}

/** Session binding. */
type Kind = 'none' | 'key' | 'dbsc';

const proofHeader = 'refresh-proof';
const refreshPath = 'refresh';
/** IndexedDB of some browsers hangs after a sleep. */
const keyTimeoutMs = 2_000;
/** The login waits for it. */
const bindTimeoutMs = 4_000;
/** Repetitions after the browser skipped its own DBSC refresh. */
const skippedRepeats = 3;

/** Sends a request to the service. @param path relative to the base */
export type Request = (path: string, init: RequestInit, headers: Record<string, string>) => Promise<Response>;

export function createProver(base: URL, environment: ProofEnvironment, request: Request): Prover {
  const keys = openDeviceKeys(base.href);
  const nonce = openText(`tollgate:nonce:${base.href}`);
  /** Nonce of a login without a key: only a proof with this nonce binds the session, for 20 minutes. */
  const firstNonce = openText(`tollgate:first-nonce:${base.href}`);
  /** Binding in the last response; undefined before the first. */
  let kind: Kind | undefined;
  /** False after the service has rejected a proof as malformed: its public address differs from the page's. */
  let isUnderstood = true;
  /** Whether the last key lookup failed: a key may exist. */
  let isUnreadable = false;

  const isLogin = (path: string) => path !== refreshPath;

  /** Whether the proof header may be sent: another origin allows it by its responses, whose nonce outlasts a reload. */
  const mayProve = () =>
    isUnderstood && (kind || nonce.read() || base.origin === new URL(environment.pageUrl).origin);

  /** Returns the key for a proof: a new one only where no session can have another. */
  async function keyFor(path: string, isRepeated = false): Promise<DeviceKey | undefined> {
    if (!mayProve() || (kind === 'dbsc' && !isLogin(path))) return undefined;
    const mayBind = kind === 'none' && firstNonce.read() !== undefined;
    // Without its login nonce a session stays unbound.
    if (kind === 'none' && !mayBind && !isLogin(path) && !isRepeated) return undefined;
    isUnreadable = false;
    const mayBeNew = isLogin(path) || mayBind;
    const key = await withLimit(() => (mayBeNew ? keys.findOrMake() : keys.find())).catch(() => {
      isUnreadable = true;
      return undefined;
    });
    // Each session has a key of its own, so that no service can link accounts of a browser. The key of an earlier session
    // stays until the login has succeeded, and the new one is bound afterwards.
    if (isLogin(path)) return key?.isShowable ? undefined : key;
    return mayBeNew || key?.isShowable ? key : undefined;
  }

  /** @param work stops at the signal, because a late change could meet the key of a later session */
  function withLimit<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    return new Promise((resolve, reject) => {
      const timer = environment.startTimer(() => {
        limit.abort();
        reject(new Error('IndexedDB did not respond'));
      }, keyTimeoutMs);
      work(limit.signal)
        .then(resolve, reject)
        .finally(() => environment.stopTimer(timer));
    });
  }

  /** Returns the login nonce, unless the session is known to have a key. */
  const nonceFor = () =>
    (kind === undefined || kind === 'none' ? firstNonce.read() : undefined) ?? nonce.read();

  async function sign({ privateKey, x, y }: DeviceKey, path: string): Promise<string> {
    const header = { typ: 'refresh-proof+jwt', alg: 'ES256', jwk: { crv: 'P-256', kty: 'EC', x, y } };
    const payload = {
      htm: 'POST',
      htu: new URL(path, base).href,
      iat: Math.floor(environment.nowMs() / 1000),
      jti: encode(crypto.getRandomValues(new Uint8Array(16))),
      ...(isLogin(path) ? {} : { nonce: nonceFor() }),
    };
    const text = [header, payload].map((part) => encode(bytesOf(JSON.stringify(part)))).join('.');
    const how = { name: 'ECDSA', hash: 'SHA-256' };
    const signature = await crypto.subtle.sign(how, privateKey, bytesOf(text));
    return `${text}.${encode(new Uint8Array(signature))}`;
  }

  function learn(path: string, { headers }: Response): void {
    const given = headers.get('refresh-nonce') ?? undefined;
    const said = headers.get('refresh-binding') as Kind | null;
    if (given !== undefined) {
      nonce.keep(given);
      if (isLogin(path)) firstNonce.keep(said === 'none' ? given : undefined);
    }
    kind = said ?? kind;
  }

  async function bind(): Promise<void> {
    await tryBind().catch(() => {});
  }

  async function tryBind(): Promise<void> {
    const key = kind === 'none' && !isUnreadable ? await keyFor(refreshPath) : undefined;
    if (!key) return;
    const headers = { [proofHeader]: await sign(key, refreshPath) };
    const limit = new AbortController();
    const timer = environment.startTimer(() => limit.abort(), bindTimeoutMs);
    const init = { method: 'POST', signal: limit.signal };
    learn(refreshPath, await request(refreshPath, init, headers).finally(() => environment.stopTimer(timer)));
  }

  /** Whether the service rejected the login only because of its proof. */
  async function rejectsProof(response: Response): Promise<boolean> {
    if (response.status !== 422) return false;
    const body = await response
      .clone()
      .json()
      .catch(() => undefined);
    return body?.errors?.['Refresh-Proof'] !== undefined;
  }

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop);
      environment.startTimer(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
    });
  }

  async function prove(path: string, { method, signal }: ProvenRequest, send: SendWith): Promise<Response> {
    if (path === 'logout' || method === 'DELETE') return logOut(send);
    let skipped = 0;
    let key = await keyFor(path);
    for (let isRepeated = false; ; ) {
      const response = await send(key && { [proofHeader]: await sign(key, path) });
      if (key && isLogin(path) && (await rejectsProof(response))) {
        isUnderstood = false;
        key = undefined;
        continue;
      }
      learn(path, response);
      if (response.ok && kind && kind !== 'dbsc' && mayProve()) {
        const store = key || !isLogin(path) ? keys.prepare : keys.replace;
        await withLimit(store).catch(() => {
          isUnreadable = true;
        });
      }
      if (isLogin(path) || response.status !== 401 || !response.headers.has('refresh-nonce')) return response;
      // The login nonce is too old, or the session has a key.
      if (key) firstNonce.keep(undefined);

      const waitMs = Number(response.headers.get('retry-after')) * 1000;
      if (waitMs > 0 && skipped < skippedRepeats) {
        skipped += 1;
        await pause(waitMs, signal);
        continue;
      }
      if (isRepeated) return response;
      isRepeated = true;
      const hadKey = key !== undefined;
      key = await keyFor(path, true);
      // The session exists, but its key is temporarily unreadable.
      if (isUnreadable && kind === 'key') throw new Error('the key of this browser cannot be read');
      if (!key && (!hadKey || (kind && kind !== 'none'))) return response;
    }
  }

  async function logOut(send: SendWith): Promise<Response> {
    const finding = withLimit(keys.find).catch(() => undefined);
    const response = await send();
    if (!response.ok) return response;
    kind = undefined;
    nonce.keep(undefined);
    firstNonce.keep(undefined);
    const key = await finding;
    if (key) await withLimit((limit) => keys.remove(key, limit)).catch(() => {});
    return response;
  }

  return { prove, bind };
}

/**
 * Nonce of a service, shared by tabs and kept across reloads. It is useless without the refresh cookie, which no script
 * can read.
 */
function openText(name: string) {
  let known: string | undefined;
  return {
    read(): string | undefined {
      try {
        return localStorage.getItem(name) ?? known;
      } catch {
        return known;
      }
    },
    keep(text: string | undefined): void {
      known = text;
      try {
        if (text === undefined) localStorage.removeItem(name);
        else localStorage.setItem(name, text);
      } catch {
        // No storage for this page: the variable lasts until the page closes.
      }
    },
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function encode(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
