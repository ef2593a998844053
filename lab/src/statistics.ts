// Statistics of samples.

/** Returns a percentile of the samples, by the nearest rank. @param share 0 to 1 */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError('no samples');
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1]!;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** Returns the 95 % confidence interval of a share with `hits` in `samples` (Wilson's score interval, 1927). */
export function wilsonInterval(hits: number, samples: number): { low: number; high: number } {
  const z = 1.959964;
  const share = hits / samples;
  const scale = 1 + (z * z) / samples;
  const centre = share + (z * z) / (2 * samples);
  const reach = z * Math.sqrt((share * (1 - share)) / samples + (z * z) / (4 * samples * samples));
  return { low: Math.max(0, (centre - reach) / scale), high: Math.min(1, (centre + reach) / scale) };
}
