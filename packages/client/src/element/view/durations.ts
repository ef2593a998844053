// Durations in words, and time estimates for `effort`.

import type { ChallengeState, ShownEffort } from '../../challenge/challenge-state.js';
import { fill, type Language, type Texts } from '../languages.js';

/** Bits that `effort` adds to the account's price, with the default `CAPTCHA_EFFORT_BITS`. */
const effortBits = 4;
const leastEffortBits = 22;
const mostEffortBits = 28;

/** Minimum time for a speed estimate, in milliseconds: code runs unoptimised at first. */
const leastSampleMs = 400;

/** Shorter durations are shown as "a few seconds". */
const fewSeconds = 5;

/** Language of the durations. */
interface Speech {
  readonly language: Language;
  readonly texts: Texts;
}

/** `12 seconds`, `2 minutes`, in Western digits. @param seconds above zero; expressed in minutes from two minutes on */
export function sayDuration(seconds: number, language: Language): string {
  const [value, unit] = seconds < 120 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return formatOf(unit, language).format(value);
}

/**
 * Estimates a wait of random length: from half of the expected value to all of it, rounded to avoid false precision.
 * `10–20 seconds`, `a few seconds`.
 */
export function sayEstimate(seconds: number, { language, texts }: Speech): string {
  if (seconds < fewSeconds) return texts.few_seconds;
  const [unit, size] = seconds < 120 ? ['second', 1] : ['minute', 60];
  const expected = seconds / size;
  const step = expected > 30 ? 10 : expected > 10 ? 5 : 1;
  const to = Math.max(step, Math.round(expected / step) * step);
  const from = Math.max(1, Math.floor(expected / 2 / step) * step);
  const format = formatOf(unit, language);
  // Missing in some supported browsers.
  if (from >= to || format.formatRange === undefined) return fill(texts.about, { time: format.format(to) });
  return format.formatRange(from, to);
}

interface RangeFormat extends Omit<Intl.NumberFormat, 'formatRange'> {
  formatRange?(from: number, to: number): string;
}

function formatOf(unit: string, language: Language): RangeFormat {
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' });
}

/** Estimates the seconds of `effort` on this device; null if the last proof of work was too short for an estimate. */
export function estimateEffortSeconds({ work }: ChallengeState): number | null {
  if (work === null || work.ms < leastSampleMs) return null;
  const bits = Math.min(Math.max(work.difficulty + effortBits, leastEffortBits), mostEffortBits);
  return 2 ** bits / (work.hashes / work.ms) / 1000;
}

/** Estimates the remaining seconds of the current effort; null while it is too short for an estimate. */
export function estimateLeftSeconds({ part, parts, progress, all }: ShownEffort): number | null {
  if (all.ms < leastSampleMs) return null;
  return ((parts - part) * 2 ** progress.difficulty) / (all.hashes / all.ms) / 1000;
}
