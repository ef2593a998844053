// Reads the numeric options of the commands.

import { UsageError } from '@tollgate/shared/config';

/**
 * Returns the whole number of an option: decimal digits without a sign or a leading zero.
 * @param option its name, with the dashes
 * @param text undefined if the option is missing
 * @param most the largest accepted number; the smallest is 1
 * @throws UsageError if it is missing or no such number
 */
export function wholeNumber(option: string, text: string | undefined, most: number): number {
  if (text !== undefined && /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} must be a whole number from 1 to ${most}`);
}
