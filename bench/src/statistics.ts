// What a benchmark says of its samples.

/** The value below which a share of the samples lies, by the nearest rank. @param share 0 to 1 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError('no samples');
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1]!;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** Where a share that was seen `hits` times in `tries` lies with 95 % confidence (Wilson's score interval, 1927). */
export function wilsonInterval(hits: number, tries: number): { low: number; high: number } {
  const z = 1.959964;
  const share = hits / tries;
  const scale = 1 + (z * z) / tries;
  const centre = share + (z * z) / (2 * tries);
  const reach = z * Math.sqrt((share * (1 - share)) / tries + (z * z) / (4 * tries * tries));
  return { low: Math.max(0, (centre - reach) / scale), high: Math.min(1, (centre + reach) / scale) };
}
