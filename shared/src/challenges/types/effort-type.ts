// The `effort` type: work in several parts instead of a captcha (docs/decisions/effort.md).

import type { Terms } from '../../pow/algorithm.js';
import { algorithmOfTerms } from '../../pow/algorithms.js';
import { effortBits, MAX_EFFORT_CHARACTERS, partDifficulty, totalBits } from '../../pow/effort.js';
import type { Scope } from '../attempts/scope-ticket.js';
import { formatScope, formatTerms, parseScope, parseTerms } from '../store/records.js';
import type { ChallengeTypeContext, VerifiedType } from './challenge-type.js';

export const EFFORT = 'effort';

/** The record of an effort challenge. */
interface EffortRecord {
  /** Difficulty in bits of each of sixteen parts; other algorithms have the same total. */
  readonly partDifficulty: number;
  /** Hexadecimal digits. */
  readonly salt: string;
  readonly scope: Scope | null;
  readonly terms?: Terms | undefined;
}

/** Formats the `rest` of an effort record; the store may fill in the difficulty. */
export function formatEffortRecord(
  record: Omit<EffortRecord, 'partDifficulty'> & { readonly partDifficulty: number | string },
): string {
  return `${record.partDifficulty} ${record.salt} ${formatScope(record.scope)}${formatTerms(record.terms)}`;
}

function parseEffortRecord(rest: string): EffortRecord | null {
  const match = /^(\d{1,2}) ([0-9a-f]{32}|[0-9a-f]{64}) (\S+)(?: (\d{1,5}) (\d{1,5}))?$/.exec(rest);
  if (match === null) return null;
  const scope = parseScope(match[3]);
  const known = scope?.keyId !== undefined && scope.account !== undefined;
  return {
    partDifficulty: Number(match[1]),
    salt: match[2] ?? '',
    scope: known ? { keyId: scope.keyId ?? '', account: scope.account ?? '' } : null,
    ...parseTerms(match.slice(4).filter((field) => field !== undefined)),
  };
}

/** Returns the algorithm of an effort record, from its `rest`; null if it has none. */
export function effortAlgorithm(rest: string): string | null {
  const record = parseEffortRecord(rest);
  return record === null ? null : algorithmOfTerms(record.terms).name;
}

/** Returns the difficulty of each part for an account with this many failures. */
export function effortPartDifficulty(
  options: { readonly pow: EffortPrice; readonly effort: { readonly bits: number } },
  failures: number,
): number {
  const { difficulty, step, max_difficulty, escalate } = options.pow;
  const price = Math.min(max_difficulty, difficulty + (escalate ? step : 0) * failures);
  return partDifficulty(effortBits(price, options.effort.bits));
}

interface EffortPrice {
  readonly difficulty: number;
  readonly step: number;
  readonly max_difficulty: number;
  readonly escalate: boolean;
}

/**
 * Effort suffices if it meets the current price or, issued for the account's ticket, the price of `escalation.after`
 * failures less.
 */
export const effortType: VerifiedType = {
  name: EFFORT,
  maxAnswerCharacters: MAX_EFFORT_CHARACTERS,
  hasMinimumTime: false,
  verify(rest, answer, context) {
    const record = parseEffortRecord(rest);
    if (!context.options.effort.enabled || record === null || !isSolved(record, answer)) return 'wrong';
    return isEnough(record, context) ? 'right' : 'insufficient';
  },
  isStillEnough(rest, context) {
    const record = parseEffortRecord(rest);
    return record !== null && isEnough(record, context);
  },
};

function isSolved({ partDifficulty, salt, terms }: EffortRecord, answer: string): boolean {
  return algorithmOfTerms(terms).solvesEffort({ bits: totalBits(partDifficulty), salt, terms }, answer);
}

function isEnough(record: EffortRecord, { options, isAccount, failures }: ChallengeTypeContext): boolean {
  const scoped = record.scope !== null && isAccount?.(record.scope) === true;
  // The grace reduces the failures, not the bits: the cap on the bits would widen it.
  const counted = scoped ? Math.max(0, failures - options.escalation.after) : failures;
  return record.partDifficulty >= effortPartDifficulty(options, counted);
}
