// Shows the key of this browser with log-ins and refreshes, so that a copied refresh cookie is worth nothing. Loaded on demand.

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

/** Sends a log-in or a refresh with a proof, and again if the service asks for it. @param path relative to the base */
export type Prover = (path: string, send: SendWith, signal: AbortSignal) => Promise<Response>;

/** How the session is bound, as the service last said. */
type Kind = 'none' | 'key' | 'dbsc';

const proofHeader = 'refresh-proof';
/** IndexedDB of some browsers hangs after a sleep. */
const keyTimeoutMs = 2_000;
/** Repeats after the browser has left out the renewal of its own key. */
const skippedRepeats = 3;

export function createProver(base: URL, environment: ProofEnvironment): Prover {
  const keys = openDeviceKeys(base.href);
  /** What the service said last; undefined before. */
  let kind: Kind | undefined;
  let nonce: string | undefined;
  /** False after the service has refused a proof as malformed: its address is another than the page's. */
  let isUnderstood = true;
  /** Whether the last look for a key failed: there may be one. */
  let isUnreadable = false;

  const isLogin = (path: string) => path !== 'refresh';

  /** Whether a service on another origin allows the header: its answers say so. */
  const mayProve = () => isUnderstood && (kind || base.origin === new URL(environment.pageUrl).origin);

  /** The key that may be shown: a new one only where no session can have another. */
  async function keyFor(path: string): Promise<DeviceKey | undefined> {
    if (!mayProve() || (kind === 'dbsc' && !isLogin(path))) return undefined;
    isUnreadable = false;
    const mayBeNew = isLogin(path) || kind === 'none';
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

  async function sign({ privateKey, x, y }: DeviceKey, path: string): Promise<string> {
    const header = { typ: 'refresh-proof+jwt', alg: 'ES256', jwk: { crv: 'P-256', kty: 'EC', x, y } };
    const payload = {
      htm: 'POST',
      htu: new URL(path, base).href,
      iat: Math.floor(environment.nowMs() / 1000),
      jti: encode(crypto.getRandomValues(new Uint8Array(16))),
      ...(isLogin(path) ? {} : { nonce }),
    };
    const text = [header, payload].map((part) => encode(bytesOf(JSON.stringify(part)))).join('.');
    const how = { name: 'ECDSA', hash: 'SHA-256' };
    const signature = await crypto.subtle.sign(how, privateKey, bytesOf(text));
    return `${text}.${encode(new Uint8Array(signature))}`;
  }

  function learn({ headers }: Response): void {
    nonce = headers.get('refresh-nonce') ?? nonce;
    kind = (headers.get('refresh-binding') as Kind | null) ?? kind;
  }

  /** Whether the service refused the log-in for its proof alone. */
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
      learn(response);
      if (response.ok && kind && kind !== 'dbsc' && mayProve())
        await withLimit(keys.prepare()).catch(() => {});
      if (isLogin(path) || response.status !== 401 || !response.headers.has('refresh-nonce')) return response;

      const waitMs = Number(response.headers.get('retry-after')) * 1000;
      if (waitMs > 0 && skipped < skippedRepeats) {
        skipped += 1;
        await pause(waitMs, signal);
        continue;
      }
      if (isRepeated) return response;
      isRepeated = true;
      key = await keyFor(path);
      // The session is there, but its key cannot be read at present.
      if (isUnreadable && kind === 'key') throw new Error('the key of this browser cannot be read');
      if (!key) return response;
    }
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function encode(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
