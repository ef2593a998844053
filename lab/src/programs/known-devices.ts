// The cost of other people's failures for an account's owner, and the gain of a stolen device cookie.
import { type Day, mostWithin, playDay } from '../known-devices/day.js';
import { DEFAULT_BUDGET, SCENARIOS } from '../known-devices/scenarios.js';
import type { Program } from '../program.js';
import { openRandom } from '../random.js';
import type { Report, Row } from '../report/report.js';
import { median } from '../statistics.js';

/** The columns, and their titles in the document. */
const COLUMNS = {
  'price, bits': "owner's price, bits",
  'highest, bits': 'the highest, bits',
  'images, %': "owner's logins with an image, %",
  'refused, %': 'refused, %',
  'by cookie': 'tries by the stolen cookie, most in a decay',
  'by cookie, day': 'in a day',
  'of account': 'tries of the account, most in a decay',
  'in all': 'all tries, most in a decay',
} as const;

type Column = keyof typeof COLUMNS;

const OPTIONS = {
  days: { type: 'string', default: '3' },
  seed: { type: 'string', default: '1' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'days of an account under the default rules: cost for its owner, and gain of a stolen device cookie',
  method: `Each day runs the real counters on an embedded store with a simulated clock: 24 logins of the owner, one in five mistyped first; 120 attempts per hour of strangers, each from a separate address, who solve all required work; a thief with one attempt per minute. A column is the median of the days, with minimum and maximum: price, images and rejections of the owner's logins; attempts that reach the password, by the stolen cookie (maximum in a decay, and in a day), counted for the account, and in total. A decay is CAPTCHA_ESCALATION_DECAY (900 s).
Options: --days N (3), --seed N`,
  options: OPTIONS,
  async run({ values }, report) {
    const greatest: Record<string, number> = {};
    for (const scenario of SCENARIOS) {
      const random = openRandom(Number(values.seed));
      const days: Day[] = [];
      while (days.length < Number(values.days)) days.push(await playDay(scenario, random));
      const figures = figuresOf(days);
      report.row(scenario.name, figures);
      for (const [column, samples] of Object.entries(figures)) {
        if (column.startsWith('by cookie') || scenario.ownerIsKnown)
          greatest[column] = Math.max(greatest[column] ?? 0, ...samples);
      }
    }
    judge(report, (column) => greatest[column] ?? Number.NaN);
  },
  table: { document: 'decisions/known-devices.md', markdown },
};
export default program;

function figuresOf(days: readonly Day[]): Record<Column, readonly number[]> {
  const of = (figure: (day: Day) => number) => days.map(figure);
  const share = (count: number, { ownerBits, ownerRefused }: Day) =>
    (100 * count) / (ownerBits.length + ownerRefused);
  const all = ({ onAccount, onDevice }: Day) => [...onAccount, ...onDevice].toSorted((a, b) => a - b);
  return {
    'price, bits': of(({ ownerBits }) => (ownerBits.length === 0 ? 0 : median(ownerBits))),
    'highest, bits': of(({ ownerBits }) => Math.max(0, ...ownerBits)),
    'images, %': of((day) => share(day.ownerImages, day)),
    'refused, %': of((day) => share(day.ownerRefused, day)),
    'by cookie': of(({ onDevice, decayMs }) => mostWithin(onDevice, decayMs)),
    'by cookie, day': of(({ onDevice }) => onDevice.length),
    'of account': of(({ onAccount, decayMs }) => mostWithin(onAccount, decayMs)),
    'in all': of((day) => mostWithin(all(day), day.decayMs)),
  };
}

/** A mistyped password is the owner's own failure, and costs a step. */
const MOST_OWNER_BITS = 18;

/** @param greatest the maximum of a column: of the owner only where the owner is known */
function judge(report: Report, greatest: (column: Column) => number): void {
  report.verdict('tries by a stolen cookie in a decay', greatest('by cookie'), { atMost: DEFAULT_BUDGET });
  const known = 'an owner who is known:';
  report.verdict(`${known} highest price`, greatest('highest, bits'), { atMost: MOST_OWNER_BITS }, 'bits');
  report.verdict(`${known} images`, greatest('images, %'), { atMost: 0 }, '%');
  report.verdict(`${known} logins refused`, greatest('refused, %'), { atMost: 0 }, '%');
}

/** A line for each kind of day. */
function markdown(rows: readonly Row[]): string {
  const columns = Object.keys(COLUMNS);
  const days = rows.filter((row) => SCENARIOS.some(({ name }) => name === row.name));
  const cell = (row: Row, column: string) => {
    const { median: middle, low, high } = row.figures[column] ?? { median: 0, low: 0, high: 0 };
    const [one, least, most] = [middle, low, high].map((value) => String(Math.round(value)));
    return least === most ? one : `${one} (${least} to ${most})`;
  };
  return [
    `| A day with | ${Object.values(COLUMNS).join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 1)}`,
    ...days.map((row) => `| ${[row.name, ...columns.map((column) => cell(row, column))].join(' | ')} |`),
    '',
    'These figures count, so they are the same on any machine.',
  ].join('\n');
}
