// Measures several subjects in turn, so that a change of the machine affects all of them.

/**
 * Measures each subject once in each round. Every second round runs backwards, so that none benefits from its neighbour.
 * A first round, in which code is compiled and caches fill, is dropped.
 * @returns the samples of each subject, by round
 */
export async function measureInTurn<T>(
  subjects: Readonly<Record<string, () => Promise<T>>>,
  rounds: number,
): Promise<Record<string, T[]>> {
  const samples: Record<string, T[]> = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  const names = Object.keys(subjects);
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await subjects[name]!();
      if (round > 0) samples[name]!.push(sample);
    }
  }
  return samples;
}

/** Returns the quotient of two series, round by round. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / to[round]!);
}
