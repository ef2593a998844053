// Shows the key of this browser with logins and refreshes, so that a copied refresh cookie is worth nothing. Loaded on demand.

import { type DeviceKey, openDeviceKeys } from './device-key.js';

/** The part of the session's environment that proofs need. */
export interface ProofEnvironment {
  nowMs(): number;
  startTimer(callback: () => void, ms: number): number;
  stopTimer(timer: number): void;
  readonly pageUrl: string;
}

/** Sends a request with these headers besides its own. */
export type SendWith = (headers?: Record<string, string>) => Promise<Response>;

/** Sends a login or a refresh with a proof, and again if the service asks for it. @param path relative to the base */
export type Prover = (path: string, send: SendWith, signal: AbortSignal) => Promise<Response>;

/** How the session is bound, as the service last said. */
type Kind = 'none' | 'key' | 'dbsc';

const proofHeader = 'refresh-proof';
const refreshPath = 'refresh';
/** IndexedDB of some browsers hangs after a sleep. */
const keyTimeoutMs = 2_000;
/** The sign-in waits for it. */
const bindTimeoutMs = 4_000;
/** Repeats after the browser has left out the renewal of its own key. */
const skippedRepeats = 3;

/** Sends a request to the service. @param path relative to the base */
export type Request = (path: string, init: RequestInit, headers: Record<string, string>) => Promise<Response>;

export function createProver(base: URL, environment: ProofEnvironment, request: Request): Prover {
  const keys = openDeviceKeys(base.href);
  const nonce = openText(`tollgate:nonce:${base.href}`);
  /** The nonce of a sign-in without a key: only a proof with it binds the session, for 20 minutes. */
  const firstNonce = openText(`tollgate:first-nonce:${base.href}`);
  /** What the service said last; undefined before. */
  let kind: Kind | undefined;
  /** False after the service has refused a proof as malformed: its address is another than the page's. */
  let isUnderstood = true;
  /** Whether the last look for a key failed: there may be one. */
  let isUnreadable = false;

  const isLogin = (path: string) => path !== refreshPath;

  /** Whether a service on another origin allows the header: its answers say so. */
  const mayProve = () => isUnderstood && (kind || base.origin === new URL(environment.pageUrl).origin);

  /** The key that may be shown: a new one only where no session can have another. */
  async function keyFor(path: string, isRepeated = false): Promise<DeviceKey | undefined> {
    if (!mayProve() || (kind === 'dbsc' && !isLogin(path))) return undefined;
    const mayBind = kind === 'none' && firstNonce.read() !== undefined;
    // Without the nonce of its sign-in a session stays unbound.
    if (kind === 'none' && !mayBind && !isLogin(path) && !isRepeated) return undefined;
    isUnreadable = false;
    const mayBeNew = isLogin(path) || mayBind;
    const looking = mayBeNew ? keys.findOrMake() : keys.find();
    const key = await withLimit(looking).catch(() => {
      isUnreadable = true;
      return undefined;
    });
    return mayBeNew || key?.isShowable ? key : undefined;
  }

  function withLimit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = environment.startTimer(
        () => reject(new Error('IndexedDB does not answer')),
        keyTimeoutMs,
      );
      work.then(resolve, reject).finally(() => environment.stopTimer(timer));
    });
  }

  /** The nonce of the sign-in unless the session is known to have a key. */
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

  /** Binds a session right after its sign-in, which could show no key. Otherwise the next refresh does. */
  async function bind(): Promise<void> {
    const key = kind === 'none' && !isUnreadable ? await keyFor(refreshPath) : undefined;
    if (!key) return;
    const headers = { [proofHeader]: await sign(key, refreshPath) };
    const limit = new AbortController();
    const timer = environment.startTimer(() => limit.abort(), bindTimeoutMs);
    const init = { method: 'POST', signal: limit.signal };
    learn(refreshPath, await request(refreshPath, init, headers).finally(() => environment.stopTimer(timer)));
  }

  /** Whether the service refused the login for its proof alone. */
  async function refusesProof(response: Response): Promise<boolean> {
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

  return async (path, send, signal) => {
    let skipped = 0;
    let key = await keyFor(path);
    for (let isRepeated = false; ; ) {
      const response = await send(key && { [proofHeader]: await sign(key, path) });
      if (key && isLogin(path) && (await refusesProof(response))) {
        isUnderstood = false;
        key = undefined;
        continue;
      }
      learn(path, response);
      if (response.ok && kind && kind !== 'dbsc' && mayProve())
        await withLimit(keys.prepare()).catch(() => {});
      if (isLogin(path) && response.ok) await bind().catch(() => {});
      if (isLogin(path) || response.status !== 401 || !response.headers.has('refresh-nonce')) return response;
      // The nonce of the sign-in is too old, or the session has a key.
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
      // The session is there, but its key cannot be read at present.
      if (isUnreadable && kind === 'key') throw new Error('the key of this browser cannot be read');
      if (!key && (!hadKey || (kind && kind !== 'none'))) return response;
    }
  };
}

/**
 * A nonce of a service, shared by the tabs and kept for a page that is loaded again. It is worth nothing without the
 * refresh cookie, which no script can read.
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
        // The browser keeps nothing for this page: the variable is enough until it is left.
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
