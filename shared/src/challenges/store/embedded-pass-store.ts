// Passes in the embedded store: one value with a line for each pass.

import { equalText } from '../../crypto/constant-time.js';
import type { EmbeddedStore, Transaction } from '../../store/embedded-store.js';
import { countUp } from '../../store/request-counter.js';
import { formatPass, type PassOutcome, parsePass, type StoredPass } from '../attempts/pass.js';
import type { ChallengeKeys } from './challenge-keys.js';
import { PASS_WINDOW_MS, type PassStore } from './pass-store.js';

const REFUSED = { waitMs: 0 };

/** The operations on an embedded store. */
export function embeddedPassStore(store: EmbeddedStore, keys: ChallengeKeys): PassStore {
  const write = (tx: Transaction, passes: readonly StoredPass[]) => {
    const text = passes.map((pass) => `${pass.name} ${formatPass(pass)}`).join('\n');
    const lastMs = Math.max(...passes.map(({ expiresAtMs }) => expiresAtMs));
    if (passes.length === 0) tx.remove(keys.passes);
    else tx.put(keys.passes, text, lastMs);
  };

  return {
    usePass: ({ name, hash, application, claim, rememberMs }) =>
      store.transact((tx) => {
        const pass = passesIn(tx.get(keys.passes)).find((each) => each.name === name);
        const refusal = refusalOf(pass, { hash, application, nowMs: tx.nowMs });
        if (refusal !== null) return { outcome: refusal, ...REFUSED };
        const claimKey = keys.passClaim(name, claim);
        if (tx.get(claimKey) !== undefined) return { outcome: 'passed', ...REFUSED };
        const usesKey = keys.passUses(name);
        if (Number(tx.get(usesKey) ?? 0) >= (pass?.perMinute ?? 0)) {
          return { outcome: 'exhausted', waitMs: (tx.expiryOf(usesKey) ?? tx.nowMs) - tx.nowMs };
        }
        countUp(tx, usesKey, PASS_WINDOW_MS);
        tx.put(claimKey, '1', tx.nowMs + rememberMs);
        return { outcome: 'passed', ...REFUSED };
      }),

    makePass: ({ lifetimeMs, ...pass }) =>
      store.transact((tx) => {
        const alive = passesIn(tx.get(keys.passes)).filter(({ expiresAtMs }) => expiresAtMs > tx.nowMs);
        if (alive.some(({ name }) => name === pass.name)) return null;
        const expiresAtMs = tx.nowMs + lifetimeMs;
        write(tx, [...alive, { ...pass, expiresAtMs }]);
        return expiresAtMs;
      }),

    async listPasses() {
      const passes = passesIn(await store.read(keys.passes));
      return passes.sort((one, other) => (one.name < other.name ? -1 : 1));
    },

    revokePass: (name) =>
      store.transact((tx) => {
        const passes = passesIn(tx.get(keys.passes));
        const left = passes.filter((each) => each.name !== name);
        if (left.length === passes.length) return false;
        write(tx, left);
        return true;
      }),
  };
}

/** Returns why a presented pass does not count; null if it does. */
function refusalOf(
  pass: StoredPass | undefined,
  presented: { readonly hash: string; readonly application: string; readonly nowMs: number },
): PassOutcome | null {
  if (pass === undefined) return 'unknown';
  if (!equalText(pass.hash, presented.hash)) return 'wrong';
  if (pass.expiresAtMs <= presented.nowMs) return 'expired';
  return pass.application === presented.application ? null : 'other_application';
}

function passesIn(text: string | undefined): StoredPass[] {
  if (text === undefined) return [];
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(' ');
    return parsePass(line.slice(0, at), line.slice(at + 1)) ?? [];
  });
}
