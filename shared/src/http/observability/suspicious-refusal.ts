// Which refusals of submissions the audit stream holds.

import type { FailedVerdict } from '../../challenges/verification.js';

/** Returns why a submission was refused: what was consumed before has no other reason. */
export function refusalReason({ reason }: FailedVerdict, isReplay: boolean) {
  return isReplay ? ('spent' as const) : reason;
}

/**
 * Returns code and reason of a refusal that looks like an attack; null for forms that are incomplete and for work that has
 * become too little, which are ordinary.
 */
export function suspiciousRefusal(verdict: FailedVerdict, isReplay: boolean) {
  const { code } = verdict;
  const reason = refusalReason(verdict, isReplay);
  if (code !== 'pow_invalid' && code !== 'captcha_invalid') return null;
  if (reason === 'malformed' || reason === 'missing' || reason === 'insufficient') return null;
  return reason === 'other_preset' ? null : { code, reason };
}
