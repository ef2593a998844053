// Durations in words, and estimates of how long `effort` takes.

import type { ChallengeState, ShownEffort } from '../../challenge/challenge-state.js';
import { fill, type Language, type Texts } from '../languages.js';

/** Bits that the service adds to the price of an account for `effort`, with the default `CAPTCHA_EFFORT_BITS`. */
const effortBits = 4;
const leastEffortBits = 22;
const mostEffortBits = 28;

/** A speed is known after this many milliseconds: the first ones are those of code that is not optimised yet. */
const leastSampleMs = 400;

/** Below this many seconds nobody counts. */
const fewSeconds = 5;

/** The language in which durations are said. */
export interface Speech {
  readonly language: Language;
  readonly texts: Texts;
}

/** `12 seconds`, `2 minutes`, in Western digits. @param seconds above zero; expressed in minutes from two minutes on */
export function sayDuration(seconds: number, language: Language): string {
  const [value, unit] = seconds < 120 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return formatOf(unit, language).format(value);
}

/**
 * An estimate for a wait that depends on chance: from half of what is expected to all of it, rounded so that it suggests
 * no false precision. `10–20 seconds`, `a few seconds`.
 */
export function sayEstimate(seconds: number, { language, texts }: Speech): string {
  if (seconds < fewSeconds) return texts.few_seconds;
  const [unit, size] = seconds < 120 ? ['second', 1] : ['minute', 60];
  const expected = seconds / size;
  const step = expected > 30 ? 10 : expected > 10 ? 5 : 1;
  const to = Math.max(step, Math.round(expected / step) * step);
  const from = Math.max(1, Math.floor(expected / 2 / step) * step);
  const format = formatOf(unit, language);
  // Not in every browser that supports everything else.
  if (from >= to || format.formatRange === undefined) return fill(texts.about, { time: format.format(to) });
  return format.formatRange(from, to);
}

interface RangeFormat extends Omit<Intl.NumberFormat, 'formatRange'> {
  formatRange?(from: number, to: number): string;
}

function formatOf(unit: string, language: Language): RangeFormat {
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' });
}

/** Seconds that `effort` would take on this device; null unless the last proof of work took long enough to tell. */
export function estimateEffortSeconds({ work }: ChallengeState): number | null {
  if (work === null || work.ms < leastSampleMs) return null;
  const bits = Math.min(Math.max(work.difficulty + effortBits, leastEffortBits), mostEffortBits);
  return 2 ** bits / (work.hashes / work.ms) / 1000;
}

/** Seconds left of an effort under way, on average; null until it took long enough to tell. */
export function estimateLeftSeconds({ part, parts, progress, all }: ShownEffort): number | null {
  if (all.ms < leastSampleMs) return null;
  return ((parts - part) * 2 ** progress.difficulty) / (all.hashes / all.ms) / 1000;
}
