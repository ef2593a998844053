// Decides what a refresh token of some generation may do: the rule of rotation and reuse.

import type { Recovery, SessionRecord, SessionRules } from './session-record.js';

/** The rules a rotation needs. */
export type RotationRules = Pick<SessionRules, 'windowMs' | 'recoveries' | 'refreshTtlMs'>;

/**
 * A refresh answered with tokens: of the `current` generation again within the window, `rotated` to the next one,
 * `recovered` when the last answer was lost, `rolled_forward` when the store had lost a write.
 */
export type GrantedOutcome = 'current' | 'rotated' | 'recovered' | 'rolled_forward';

/** A refresh refused: `revoked` when there is no such session, `expired`, `reuse` when an old token came back. */
export type RefusedOutcome = 'revoked' | 'expired' | 'reuse';

/**
 * Why the generation before the current one was not taken for a lost answer: the current one was `used`, so it had
 * arrived; the rule is `strict`, the window zero; the recoveries of the day are `spent`.
 */
export type Unrecovered = 'used' | 'strict' | 'spent';

/** What is answered, and what becomes of the record: undefined deletes it. */
export type Rotation =
  | { readonly verdict: GrantedOutcome; readonly next: SessionRecord }
  | { readonly verdict: RefusedOutcome; readonly next: undefined; readonly unrecovered?: Unrecovered };

const DAY_MS = 86_400_000;

/**
 * The rule of decisions 3.4, case by case. `lua/session_rotate.lua` is the same rule for Redis; a property
 * test holds them together.
 *
 * @param record the stored session, if there is one
 * @param presented generation in the refresh token, a whole number from 1
 * @param nowMs the store's time in milliseconds since 1970
 */
export function decideRotation(
  record: SessionRecord | undefined,
  presented: number,
  nowMs: number,
  rules: RotationRules,
): Rotation {
  if (record === undefined) return { verdict: 'revoked', next: undefined };
  if (record.expiresAtMs <= nowMs) return { verdict: 'expired', next: undefined };

  const { generation, used } = record;
  // A last rotation far ahead of the clock would keep the window open until the clock has caught up.
  const rotatedAtMs = record.rotatedAtMs - nowMs > rules.windowMs ? 0 : record.rotatedAtMs;
  const inWindow = nowMs - rotatedAtMs < rules.windowMs;
  const answer = (verdict: GrantedOutcome, change: Partial<SessionRecord>): Rotation => ({
    verdict,
    next: {
      ...record,
      ...change,
      lastUsedAtMs: nowMs,
      expiresAtMs: Math.min(nowMs + rules.refreshTtlMs, record.absoluteExpiresAtMs),
    },
  });

  if (presented > generation) {
    const known = Math.max(used, presented - 1);
    return answer('rolled_forward', { generation: presented, used: known, rotatedAtMs: nowMs });
  }
  if (presented === generation) {
    if (inWindow) return answer('current', {});
    const known = Math.max(used, generation);
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

/** The list with this generation counted once, or why it may not be recovered. */
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
