// The token that a widget holds: in its fields, and only until a little before the service would refuse it.

import type { ResponseFields } from './response-fields.js';

/** How long before its expiry a token is not used any more: a tenth of its life, at most 5 seconds. */
const MARGIN_SHARE = 0.1;
const MOST_MARGIN_SECONDS = 5;

/** Timers stop while a machine sleeps, so the clocks are compared at least this often. */
const CHECK_MS = 15_000;

const KEY_BYTES = 16;

export interface HeldToken {
  /** `''` without one that can be used. */
  readonly token: string;
  /** Names the token, and says nothing about it; `''` without one. */
  readonly key: string;
  /** Whether the last token has expired. */
  readonly isExpired: boolean;
  hold(token: string, expiresInSeconds: number): void;
  /** Forgets the token, and that it has expired. */
  clear(): void;
}

/** @param onExpired called when the token is not used any more, the fields being empty */
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
    // Later, because a client that asks for the token may be what has found out.
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

/** By the clock that has advanced further: some stop while the machine sleeps, and people change the other. */
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
