// Price by load: success and price of honest visitors under attack, by the rule that raises the price.
import { byDrawings, byIssues, type ComparedRule, chosen, fixed, variants } from '../price/rules.js';
import { devices, scenarios } from '../price/scenarios.js';
import { type Outcome, simulate, VISITORS_PER_SECOND } from '../price/simulate.js';
import type { Program } from '../program.js';
import type { Figure, Row } from '../report/report.js';
import { percentile } from '../statistics.js';

const SEEDS = [1, 2, 3];

const rules: readonly ComparedRule[] = [fixed, chosen, byIssues(VISITORS_PER_SECOND), byDrawings];

const OPTIONS = {
  only: { type: 'string', default: '' },
  rule: { type: 'string', default: '' },
} as const;

const program: Program<typeof OPTIONS> = {
  title: 'price by load: success and wait of honest visitors under attack, by the rule, in virtual time',
  method: `A simulation with the code of the price: ${VISITORS_PER_SECOND} visitors per second log in at a site that checks 125 passwords per second; limits and price are the
defaults. All figures are for visitors during the attack; the wait is from the first request to the end of the login, including retries after a 503.
Every run gives the same figures. --only TEXT restricts it to scenarios, --rule TEXT to rules`,
  options: OPTIONS,
  async run({ values }, report) {
    for (const scenario of scenarios.filter(({ name }) => name.includes(values.only))) {
      const compared = [...rules, ...(scenario.isTelling === true ? variants : [])];
      for (const rule of compared.filter(({ name }) => name.includes(values.rule))) {
        const outcomes = SEEDS.map((seed) => simulate(scenario, rule, seed));
        report.row(`${scenario.name}: ${rule.name}`, columnsOf(outcomes));
      }
    }
  },
  table: { document: 'decisions/price-by-load.md', markdown },
};
export default program;

const waits = (outcome: Outcome, device: string) => outcome.waitsS[device] ?? [];
const share = (samples: readonly number[], at: number) =>
  samples.length === 0 ? Number.NaN : percentile(samples, at);

function columnsOf(outcomes: readonly Outcome[]) {
  const [slow, ...others] = devices;
  return {
    'signed in, %': outcomes.map(({ success }) => success * 100),
    ...Object.fromEntries(
      [slow!, ...others].map(({ name }) => [
        `${name}, s`,
        outcomes.map((outcome) => share(waits(outcome, name), 0.5)),
      ]),
    ),
    'slow phone, p95, s': outcomes.map((outcome) => share(waits(outcome, slow!.name), 0.95)),
    'bits added': outcomes.map(({ meanBits }) => meanBits),
    'falls back, s': outcomes.map(({ fallBackS }) => fallBackS),
  };
}

/** Scenarios whose figures add nothing to those of another one. */
const alike = new Set([
  'a quarter of a core',
  'the farm, fetching ahead',
  'one core, 10 s in 60',
  'few who only ask (100/s)',
  'many who only ask for images',
]);

/** The chosen rule beside a fixed price. */
const isShown = ({ name, figures }: Row) =>
  'bits added' in figures &&
  !alike.has(name.split(': ')[0] ?? '') &&
  [fixed, chosen].some((rule) => name.endsWith(`: ${rule.name}`));

function markdown(rows: readonly Row[]): string {
  return tableOf(rows.filter(isShown));
}

function tableOf(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0]?.figures ?? {});
  const cell = ({ median }: Figure) =>
    String(median >= 10 ? Math.round(median) : Math.round(median * 100) / 100);
  const seen = new Set<string>();
  const lines = rows.flatMap(({ name, figures }) => {
    const [scenario, rule] = name.split(': ');
    const cells = columns.map((column) => cell(figures[column]!)).join(' | ');
    const isRepeated = seen.has(`${scenario} ${cells}`);
    seen.add(`${scenario} ${cells}`);
    return isRepeated ? [] : [`| ${scenario} | ${rule} | ${cells} |`];
  });
  return [
    `| Scenario | Rule | ${columns.join(' | ')} |`,
    `|---|---|${columns.map(() => '---|').join('')}`,
    ...lines,
  ].join('\n');
}
