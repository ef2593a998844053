// Formats counts, durations and dates.
import { locale, translate } from './i18n.js';

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 2 });
const tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

export const count = (value) => whole.format(value);

/** `12.3 M/s`. */
export const speed = (hashesPerMs) =>
  translate('speed_value', { millions: tenth.format(hashesPerMs / 1000) });

/** `66K`, `4.2M`: for places that are too small for all digits. */
export const compactCount = (value) => compact.format(value);

export const milliseconds = (ms) => translate('ms', { ms: whole.format(ms) });

/** `14:05`, minutes and seconds. */
export function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The time of day, with the date unless it is today. @param {string} iso */
export function when(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? timeOfDay : moment).format(date);
}
