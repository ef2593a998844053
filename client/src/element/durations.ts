// Durations in words, and estimates of how long `effort` takes.

import type { ChallengeState, ShownEffort } from '../challenge/challenge-state.js';
import { fill, type Language, texts } from './texts.js';

/** Bits that the service adds to the price of an account for `effort`, with the default `CAPTCHA_EFFORT_BITS`. */
const effortBits = 4;
const leastEffortBits = 22;
const mostEffortBits = 28;

/** `12 seconds`, `2 minutes`, in Western digits. @param seconds above zero; expressed in minutes from two minutes on */
export function sayDuration(seconds: number, language: Language): string {
  const [value, unit] = seconds < 120 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  }).format(value);
}

/** An estimate, rounded up so that it suggests no false precision: `about 20 seconds`, `a few seconds`. */
export function sayEstimate(seconds: number, language: Language): string {
  if (seconds < 5) return texts[language].few_seconds;
  const step = seconds > 60 ? 60 : seconds > 10 ? 10 : 5;
  const rounded = Math.max(step, Math.ceil(seconds / step) * step);
  return fill(texts[language].about, { time: sayDuration(rounded, language) });
}

/** Seconds that `effort` would take on this device, by the speed of the last proof of work; null before the first. */
export function estimateEffortSeconds({ work }: ChallengeState): number | null {
  if (work === null || work.hashes === 0 || work.ms === 0) return null;
  const bits = Math.min(Math.max(work.difficulty + effortBits, leastEffortBits), mostEffortBits);
  return 2 ** bits / (work.hashes / work.ms) / 1000;
}

/**
 * Seconds left of an effort under way.
 * @param hashesPerMs the speed so far
 */
export function estimateLeftSeconds({ part, parts, progress }: ShownEffort, hashesPerMs: number): number {
  return ((parts - part) * 2 ** progress.difficulty) / hashesPerMs / 1000;
}
