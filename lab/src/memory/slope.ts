// The slope of a series of samples, with an interval that allows for samples that resemble their predecessors.

/** A sample: a time and what was measured then. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** The slope of a line, in units of the values per unit of time, and the half width of its 95 % interval. */
interface Slope {
  readonly slope: number;
  readonly halfWidth: number;
}

/**
 * Fits a line by least squares. Successive memory samples are correlated, so the effective number of samples is
 * n (1 - r) / (1 + r), where r is the correlation of each residual with the previous one (Bayley and Hammersley, 1946, for a
 * first-order autoregression).
 *
 * @throws RangeError for fewer than four samples
 */
export function fitSlope(samples: readonly Sample[]): Slope {
  if (samples.length < 4) throw new RangeError('a slope requires four samples');
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanAt = mean(samples.map(({ at }) => at));
  const meanValue = mean(samples.map(({ value }) => value));
  const spread = sum(samples.map(({ at }) => (at - meanAt) ** 2));
  const slope = sum(samples.map(({ at, value }) => (at - meanAt) * (value - meanValue))) / spread;
  const residuals = samples.map(({ at, value }) => value - meanValue - slope * (at - meanAt));
  const squares = sum(residuals.map((residual) => residual ** 2));
  const lagged = sum(residuals.slice(1).map((residual, at) => residual * residuals[at]!));
  const likeness = squares === 0 ? 0 : Math.min(Math.max(lagged / squares, 0), 0.99);
  const independent = Math.max((samples.length * (1 - likeness)) / (1 + likeness), 3);
  const degrees = independent - 2;
  return { slope, halfWidth: studentQuantile(degrees) * Math.sqrt(squares / degrees / spread) };
}

/** The 97.5th percentile of Student's distribution, by Fisher's expansion (Abramowitz and Stegun, 26.7.5). */
function studentQuantile(degrees: number): number {
  return 1.96 + 2.372 / degrees + 2.823 / degrees ** 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
