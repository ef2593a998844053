// Decides on a refresh token of a given generation: the rule of rotation and reuse.

import { bindRecord, decideBinding, type PresentedBinding, UNASKED } from './binding/binding-rule.js';
import { type Recovery, refreshTtlOf, type SessionRecord, type SessionRules } from './session-record.js';

/** The session rules of a rotation. */
type RotationRules = Pick<SessionRules, 'windowMs' | 'recoveries' | 'refreshTtlMs' | 'notRememberedTtlMs'>;

/**
 * A granted refresh: the `current` generation again within the window, `rotated` to the next one, `recovered` if the last
 * response was lost, `rolled_forward` if the store had lost a write.
 */
export type GrantedOutcome = 'current' | 'rotated' | 'recovered' | 'rolled_forward';

/**
 * A rejected refresh that ends the session: `revoked` if there is no such session, `expired`, `reuse` if an old token was
 * used again, `binding_failed` if another key than the session's has signed.
 */
export type EndedOutcome = 'revoked' | 'expired' | 'reuse' | 'binding_failed';

/** A rejected refresh; with `binding_required` the session's key was not proven, and nothing changes. */
export type RefusedOutcome = EndedOutcome | 'binding_required';

/**
 * Why the previous generation was not treated as a lost response: the current one was `used`, so it had arrived; the rule is
 * `strict`, with a window of zero; the day's recoveries are `spent`.
 */
export type Unrecovered = 'used' | 'strict' | 'spent';

/** The verdict, and the next state of the record: undefined deletes it. */
export type Rotation =
  | { readonly verdict: GrantedOutcome; readonly next: SessionRecord }
  | { readonly verdict: 'binding_required'; readonly next: SessionRecord }
  | { readonly verdict: EndedOutcome; readonly next: undefined; readonly unrecovered?: Unrecovered };

const DAY_MS = 86_400_000;

/**
 * The rule, case by case (docs/decisions/rotation.md). `lua/session_rotate.lua` is the same rule for Redis, and a property
 * test compares the two. The binding is examined before the generation, so a token alone can neither advance, recover nor
 * end the session of a device.
 *
 * @param found the stored session, if there is one
 * @param presented generation in the refresh token, a whole number from 1
 * @param nowMs the store's time in milliseconds since 1970
 * @param binding the evidence of the request besides the token
 */
export function decideRotation(
  found: SessionRecord | undefined,
  presented: number,
  nowMs: number,
  rules: RotationRules,
  binding: PresentedBinding = UNASKED,
): Rotation {
  if (found === undefined) return { verdict: 'revoked', next: undefined };
  if (found.expiresAtMs <= nowMs) return { verdict: 'expired', next: undefined };
  const bound = decideBinding(found, binding, nowMs);
  if (bound === 'binding_required') return { verdict: bound, next: found };
  if (bound === 'binding_failed') return { verdict: bound, next: undefined };

  const record = bindRecord(found, bound, binding, nowMs);
  const { generation, used } = record;
  // If the clock was set back, a rotation in its future would keep the window open until the clock catches up.
  const rotatedAtMs = record.rotatedAtMs - nowMs > rules.windowMs ? 0 : record.rotatedAtMs;
  const inWindow = nowMs - rotatedAtMs < rules.windowMs;
  const answer = (verdict: GrantedOutcome, change: Partial<SessionRecord>): Rotation => ({
    verdict,
    next: {
      ...record,
      ...change,
      lastUsedAtMs: nowMs,
      expiresAtMs: Math.min(nowMs + refreshTtlOf(record.attributes, rules), record.absoluteExpiresAtMs),
    },
  });

  if (presented > generation) {
    const known = Math.max(used, presented);
    return answer('rolled_forward', { generation: presented, used: known, rotatedAtMs: nowMs });
  }
  if (presented === generation) {
    // Presenting it proves its arrival, also within the window: the previous generation cannot be recovered.
    const known = Math.max(used, generation);
    if (inWindow) return answer('current', { used: known });
    return answer('rotated', { generation: generation + 1, used: known, rotatedAtMs: nowMs });
  }
  if (presented === generation - 1) {
    if (inWindow) return answer('current', {});
    const recoveries = recover(record, nowMs, rules);
    if (typeof recoveries === 'string') return { verdict: 'reuse', next: undefined, unrecovered: recoveries };
    return answer('recovered', { recoveries, rotatedAtMs: nowMs });
  }
  return { verdict: 'reuse', next: undefined };
}

/** The recoveries including this generation once, or the reason why it cannot be recovered. */
function recover(
  { generation, used, recoveries }: SessionRecord,
  nowMs: number,
  rules: RotationRules,
): Recovery[] | Unrecovered {
  if (used >= generation) return 'used';
  if (rules.windowMs === 0) return 'strict';
  const recent = recoveries.filter(({ atMs }) => nowMs - atMs < DAY_MS);
  if (recent.some((recovery) => recovery.generation === generation)) return recent;
  if (recent.length >= rules.recoveries) return 'spent';
  return [...recent, { generation, atMs: nowMs }];
}
