// The cost of an attempt at each price: work of an attacker's core, and the table of all prices.
import {
  acceptedAlgorithms,
  effortBits,
  HASHWX_EXCHANGE,
  HASHWX_PARTS,
  hashwxPartHashes,
} from '@tollgate/shared/pow';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import { formatNumber, type Row } from '../report/report.js';
import type { AttackAlgorithm, RateSample } from './native-solvers.js';

const OPTIONS = resolveCaptchaOptions({ pow: { algorithms: 'hashwx-1,sha256' } });
const NONCES = OPTIONS.pow.nonces_per_function;
const EXCHANGE = acceptedAlgorithms(OPTIONS.pow.algorithms)[1]?.exchange ?? HASHWX_EXCHANGE;

/** The work of one attempt, in bits: the proof of work, and effort if it replaces the image. */
interface AttemptWork {
  readonly name: string;
  readonly bits: readonly number[];
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Attempts at one account, with default options, until the price stops rising. */
export function attemptWorks(): AttemptWork[] {
  const { pow, escalation, effort } = OPTIONS;
  return ORDINALS.flatMap((ordinal, failures) => {
    const price = Math.min(pow.max_difficulty, pow.difficulty + pow.step * failures);
    const name = `${ordinal}, ${price} bits`;
    if (failures < escalation.after) return [{ name, bits: [price] }];
    const instead = effortBits(price, effort.bits);
    return [
      { name: `${name} and an image`, bits: [price] },
      { name: `${name} and effort of ${instead} in place of the image`, bits: [price, instead] },
    ];
  });
}

/** Returns the mean number of steps of a HashWX search of this many bits. */
export function hashwxTask(bits: number) {
  return { part_hashes: hashwxPartHashes(bits, EXCHANGE), nonces_per_function: NONCES };
}

/** The minimum time of each engine: other programs can only slow it down. */
export function bestRates(samples: readonly RateSample[], algorithm: AttackAlgorithm): RateSample[] {
  const best = new Map<string, RateSample>();
  for (const sample of samples) {
    if (sample.algorithm !== algorithm) continue;
    const { nsPerHash, functionNs } = best.get(sample.engine) ?? sample;
    best.set(sample.engine, {
      ...sample,
      nsPerHash: Math.min(nsPerHash, sample.nsPerHash),
      functionNs: Math.min(functionNs, sample.functionNs),
    });
  }
  return [...best.values()];
}

/** Nanoseconds of one core for the mean work of this many bits, with its fastest engine. */
export function attackNs(samples: readonly RateSample[], algorithm: AttackAlgorithm, bits: number): number {
  const costs = bestRates(samples, algorithm).map(({ nsPerHash, functionNs }) => {
    if (algorithm === 'sha256') return nsPerHash * 2 ** bits;
    const { part_hashes: hashes, nonces_per_function: nonces } = hashwxTask(bits);
    const functions = 1 / (1 - (1 - 1 / hashes) ** nonces);
    return HASHWX_PARTS * (hashes * nsPerHash + functions * functionNs);
  });
  return Math.min(...costs);
}

const ALGORITHMS = ['SHA-256', 'HashWX'] as const;
export type AlgorithmName = (typeof ALGORITHMS)[number];

/** The name of the row with the figures of an attempt. */
export const rowName = ({ name }: AttemptWork, algorithm: AlgorithmName) => `${name}; ${algorithm}`;
export const ATTEMPTS = 'attempts/s and core';
export const waitColumn = (engine: string) => `${engine}, ms`;

/** A line for each attempt; for both algorithms the attacker and every engine. @param engines names of the columns */
export function priceTable(rows: readonly Row[], engines: readonly string[], measuredOn: string): string {
  const cell = (work: AttemptWork, algorithm: AlgorithmName, column: string) => {
    const figure = rows.find(({ name }) => name === rowName(work, algorithm))?.figures[column];
    if (figure === undefined) return 'not measured';
    return formatNumber(column === ATTEMPTS ? figure.median : Math.round(figure.median));
  };
  const columns = [ATTEMPTS, ...engines.map(waitColumn)];
  const heads = ALGORITHMS.flatMap((algorithm) =>
    ['attacker', ...engines].map((name) => `${algorithm}: ${name}`),
  );
  const lines = attemptWorks().map((work) => {
    const cells = ALGORITHMS.flatMap((algorithm) => columns.map((column) => cell(work, algorithm, column)));
    return `| ${[work.name, ...cells].join(' | ')} |`;
  });
  const native = rows.filter(({ name }) => name.startsWith('native, ')).map(describeNative);
  return [
    `| Attempt | ${heads.join(' | ')} |`,
    `|${'---|'.repeat(heads.length + 1)}`,
    ...lines,
    '',
    'The wait for HashWX, times that for SHA-256:',
    '',
    ...ratioTable(rows, engines),
    '',
    `${[measuredOn, ...(native.length === 0 ? [] : [native.join('; ')])].join('. ')}.`,
  ].join('\n');
}

/** A line for each engine: HashWX beside SHA-256 of the same bits, and at sixteen times the cost. */
function ratioTable(rows: readonly Row[], engines: readonly string[]): string[] {
  const works = attemptWorks().filter(({ bits }) => bits.length === 1);
  const [cheapest] = works;
  const pairs = works.map((work) => ({ title: `${work.bits[0]} bits`, work, beside: work }));
  const dear = works.find(({ bits }) => bits[0] === (cheapest?.bits[0] ?? 0) + 4);
  if (cheapest !== undefined && dear !== undefined) {
    pairs.push({ title: `${dear.bits[0]} bits beside ${cheapest.bits[0]}`, work: dear, beside: cheapest });
  }
  const wait = (work: AttemptWork, algorithm: AlgorithmName, engine: string) =>
    rows.find(({ name }) => name === rowName(work, algorithm))?.figures[waitColumn(engine)]?.median;
  const cell = (engine: string, { work, beside }: (typeof pairs)[number]) => {
    const [hashwx, sha256] = [wait(work, 'HashWX', engine), wait(beside, 'SHA-256', engine)];
    return hashwx === undefined || sha256 === undefined ? 'not measured' : formatNumber(hashwx / sha256);
  };
  return [
    `| | ${pairs.map(({ title }) => title).join(' | ')} |`,
    `|${'---|'.repeat(pairs.length + 1)}`,
    ...engines.map((engine) => `| ${[engine, ...pairs.map((pair) => cell(engine, pair))].join(' | ')} |`),
  ];
}

/** The best of all rounds is the machine's capability. */
function describeNative({ name, figures }: Row): string {
  const [[unit, { high = 0 } = {}] = ['']] = Object.entries(figures);
  return `${name.slice('native, '.length)}: ${formatNumber(high)} ${unit}`;
}
