// Widget token: kept in its fields until shortly before the service would reject it.

import type { ResponseFields } from './response-fields.js';

/** Margin before expiry: a tenth of the lifetime, at most 5 seconds. */
const MARGIN_SHARE = 0.1;
const MOST_MARGIN_SECONDS = 5;

/** Timers stop during sleep, so the clocks are compared at least this often. */
const CHECK_MS = 15_000;

const KEY_BYTES = 16;

export interface HeldToken {
  /** `''` without a usable token. */
  readonly token: string;
  /** Random identifier of the token; `''` without one. */
  readonly key: string;
  /** Whether the last token has expired. */
  readonly isExpired: boolean;
  hold(token: string, expiresInSeconds: number): void;
  /** Forgets the token and its expiry. */
  clear(): void;
}

/** @param onExpired called after expiry, when the fields are empty */
export function createHeldToken(fields: ResponseFields, onExpired: () => void): HeldToken {
  let held: { readonly token: string; readonly key: string; readonly leftMs: () => number } | null = null;
  let isExpired = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function drop(): void {
    held = null;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', check);
    fields.set('');
  }

  function check(): void {
    clearTimeout(timer);
    if (held === null) return;
    const leftMs = held.leftMs();
    if (leftMs > 0) {
      timer = setTimeout(check, Math.min(leftMs, CHECK_MS));
      return;
    }
    drop();
    isExpired = true;
    // In a later task, because a client that reads the token may have triggered this check.
    setTimeout(() => {
      if (isExpired) onExpired();
    });
  }

  return {
    get token() {
      check();
      return held?.token ?? '';
    },
    get key() {
      check();
      return held?.key ?? '';
    },
    get isExpired() {
      check();
      return isExpired;
    },
    hold(token, expiresInSeconds) {
      drop();
      isExpired = false;
      held = { token, key: randomKey(), leftMs: countDown(expiresInSeconds) };
      fields.set(token);
      document.addEventListener('visibilitychange', check);
      check();
    },
    clear() {
      isExpired = false;
      drop();
    },
  };
}

/** By the clock that has advanced further: some stop during sleep, and users can change the other. */
function countDown(expiresInSeconds: number): () => number {
  const marginSeconds = Math.min(expiresInSeconds * MARGIN_SHARE, MOST_MARGIN_SECONDS);
  const lifeMs = (expiresInSeconds - marginSeconds) * 1000;
  const [startMs, startWallMs] = [performance.now(), Date.now()];
  return () => lifeMs - Math.max(performance.now() - startMs, Date.now() - startWallMs);
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
