// Collects the results of a program: printed as lines while it runs, stored for JSON and the document.
import { median } from '../statistics.js';

/** The median of some samples, with minimum and maximum. */
export interface Figure {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export interface Row {
  readonly name: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

/** A verdict on a figure. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

export interface Verdict extends Figure {
  readonly name: string;
  readonly unit: string;
  readonly bound: Bound;
  readonly isKept: boolean;
}

/** One sample, or those of several rounds. */
export type Samples = number | readonly number[];

export interface Report {
  readonly rows: readonly Row[];
  readonly verdicts: readonly Verdict[];
  /** Prints a line for people only. */
  say(line: string): void;
  /** Adds a row of a table, whose columns are named with their units. */
  row(name: string, columns: Readonly<Record<string, Samples>>): void;
  /** Compares the median with a bound; the verdicts are printed at the end. @param unit empty for a ratio */
  verdict(name: string, samples: Samples, bound: Bound, unit?: string): void;
}

const NAME_WIDTH = 40;
const COLUMN_WIDTH = 24;

/** @param print prints a line */
export function openReport(print: (line: string) => void): Report {
  const rows: Row[] = [];
  const verdicts: Verdict[] = [];
  let header = '';
  const say = (line: string) => {
    header = '';
    print(line);
  };
  return {
    rows,
    verdicts,
    say,
    row(name, columns) {
      const figures = Object.fromEntries(
        Object.entries(columns).map(([column, samples]) => [column, figureOf(samples)]),
      );
      rows.push({ name, figures });
      const titles = ''.padEnd(NAME_WIDTH) + Object.keys(columns).map(inColumn).join('');
      if (titles !== header) print(titles);
      header = titles;
      print(name.padEnd(NAME_WIDTH) + Object.values(figures).map(describeFigure).map(inColumn).join(''));
    },
    verdict(name, samples, bound, unit = '') {
      const figure = figureOf(samples);
      const isKept = 'atLeast' in bound ? figure.median >= bound.atLeast : figure.median <= bound.atMost;
      verdicts.push({ name, unit, bound, isKept, ...figure });
    },
  };
}

/** Reports in a line whether a bound is kept. */
export function describeVerdict(verdict: Verdict): string {
  const { name, bound, unit, isKept } = verdict;
  const value = `${describeFigure(verdict)}${unit && ` ${unit}`}`;
  return `${isKept ? 'kept  ' : 'MISSED'} ${name}: ${value}; ${describeBound(bound, unit)}`;
}

/** Describes a bound in words. */
function describeBound(bound: Bound, unit: string): string {
  const [word, value] = 'atLeast' in bound ? ['at least', bound.atLeast] : ['at most', bound.atMost];
  return `${word} ${value.toLocaleString('en')}${unit && ` ${unit}`}`;
}

/** Writes a number with at least three digits, or unchanged if it is an integer. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return Math.round(value).toLocaleString('en');
  if (size < 1) return value.toPrecision(3);
  return value.toFixed(size >= 10 ? 1 : 2);
}

function figureOf(samples: Samples): Figure {
  const all = [samples].flat();
  return { median: median(all), low: Math.min(...all), high: Math.max(...all) };
}

/** Writes the median, and the range of the rounds in brackets. */
export function describeFigure({ median: middle, low, high }: Figure): string {
  if (low === high) return formatNumber(middle);
  return `${formatNumber(middle)} (${formatNumber(low)}–${formatNumber(high)})`;
}

function inColumn(text: string): string {
  return text.padStart(COLUMN_WIDTH);
}
