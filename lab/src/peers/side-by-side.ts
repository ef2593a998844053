// Measures one kind of work by us and by others in turn, and compares us with them.
import type { Cost } from '../load/open-generator.js';
import type { Report } from '../report/report.js';
import { measureInTurn, ratios } from '../rounds.js';
import { median } from '../statistics.js';

/** Requests of a new process that are measured before the rounds. */
export const FIRST_REQUESTS = 500;

/** Microseconds of processor time for one piece of work, by program. */
type Micros = Readonly<Record<string, number>>;

/** One side's implementation of the work. */
export interface Side {
  readonly name: string;
  /** Its differences from our work. */
  readonly does?: string;
  /** Does less than we do, so its figures are only shown unless a goal names it. */
  readonly isLess?: boolean;
  readonly measure: () => Promise<Micros>;
  /** The first `FIRST_REQUESTS` of a new process. */
  readonly measureFirst?: () => Promise<Micros>;
}

/** Required work per second of processor time relative to named sides; `best` is the best that does the same work. */
type Goals = Readonly<Record<string, number>>;

const sum = (micros: Micros) => Object.values(micros).reduce((total, one) => total + one, 0);

/** @param sides ours is the first */
export async function compareSides(
  report: Report,
  work: string,
  sides: readonly Side[],
  { rounds, goals }: { rounds: number; goals: Goals },
): Promise<void> {
  report.say('');
  const first: Record<string, Micros> = {};
  for (const { name, measureFirst } of sides) {
    if (measureFirst !== undefined) first[name] = await measureFirst();
  }
  const samples = await measureInTurn(
    Object.fromEntries(sides.map(({ name, measure }) => [name, measure])),
    rounds,
  );
  const total = ({ name }: Side) => samples[name]!.map(sum);
  const [ours, ...others] = sides as [Side, ...Side[]];
  for (const side of sides) {
    const { name, does } = side;
    const parts = Object.keys(samples[name]![0]!);
    const columns = parts.map((part) => [`${part} µs`, samples[name]!.map((micros) => micros[part]!)]);
    report.row(`${work}: ${name}${does === undefined ? '' : `, ${does}`}`, {
      ...Object.fromEntries(columns),
      ...(parts.length > 1 && { 'together µs': total(side) }),
      'times ours': ratios(total(side), total(ours)),
      ...(first[name] && { [`first ${FIRST_REQUESTS}, µs`]: sum(first[name]) }),
    });
  }
  const [best] = others
    .filter(({ isLess }) => isLess !== true)
    .sort((one, other) => median(total(one)) - median(total(other)));
  for (const [beside, atLeast] of Object.entries(goals)) {
    const side = beside === 'best' ? best! : others.find(({ name }) => name === beside)!;
    report.verdict(`${work}, beside ${side.name}`, ratios(total(side), total(ours)), { atLeast });
  }
}

/** @throws Error if requests failed, because a rejection costs less than the work */
export function microsOf(name: string, { micros, failures, statuses }: Cost): Micros {
  if (failures > 0) throw new Error(`${name} answered ${JSON.stringify(statuses)}`);
  return micros;
}

/** The part of a plan that sends the first requests. @param connections at once */
export function firstRequests(connections: number) {
  return { connections, seconds: 60, bodies: Array<string>(FIRST_REQUESTS).fill('') };
}
