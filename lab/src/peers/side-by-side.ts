// Measures one kind of work by us and by others in turn, and compares us with the best of the others.
import type { Cost } from '../load/open-generator.js';
import type { Report } from '../report/report.js';
import { measureInTurn, ratios } from '../rounds.js';
import { median } from '../statistics.js';

/** Required work per second of processor time relative to the best of the others. */
export const GOAL = 1.4;

/** One side's implementation of the work. */
export interface Side {
  readonly name: string;
  /** Does less than we do, so its figures are only shown. */
  readonly isLess?: boolean;
  /** @returns microseconds of processor time for one piece of work, by program */
  readonly measure: () => Promise<Readonly<Record<string, number>>>;
}

/** @param sides ours is the first */
export async function compareSides(
  report: Report,
  work: string,
  sides: readonly Side[],
  rounds: number,
): Promise<void> {
  report.say('');
  const samples = await measureInTurn(
    Object.fromEntries(sides.map(({ name, measure }) => [name, measure])),
    rounds,
  );
  const total = ({ name }: Side) =>
    samples[name]!.map((micros) => Object.values(micros).reduce((sum, one) => sum + one, 0));
  const [ours, ...others] = sides as [Side, ...Side[]];
  for (const side of sides) {
    const parts = Object.keys(samples[side.name]![0]!);
    const columns = parts.map((part) => [`${part} µs`, samples[side.name]!.map((micros) => micros[part]!)]);
    report.row(`${work}: ${side.name}`, {
      ...Object.fromEntries(columns),
      ...(parts.length > 1 && { 'together µs': total(side) }),
      'times ours': ratios(total(side), total(ours)),
    });
  }
  const [best] = others
    .filter(({ isLess }) => isLess !== true)
    .sort((one, other) => median(total(one)) - median(total(other)));
  const times = ratios(total(best!), total(ours));
  report.verdict(`${work}, beside ${best!.name}`, times, { atLeast: GOAL });
}

/** @throws Error if requests failed, because a rejection costs less than the work */
export function microsOf(
  name: string,
  { micros, failures, statuses }: Cost,
): Readonly<Record<string, number>> {
  if (failures > 0) throw new Error(`${name} answered ${JSON.stringify(statuses)}`);
  return micros;
}
