// Runs the model of rotation with binding (rotation.qnt), and reads the resulting histories.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The current rule, or an instance of the model without one of its fixes. */
type ModelInstance = 'mended' | 'anyoneBinds' | 'windowForgets' | 'unconfirmed';

/** The model's calls of the store, and their results. */
export interface ModelCall {
  readonly kind: 'start' | 'none' | 'age' | 'rotate' | 'prove' | 'bind' | 'fail_over';
  /** Elapsed time, in ticks of 11 seconds. */
  readonly ticks: number;
  readonly generation: number;
  /** Proofs of a refresh: names of keys, empty for none. */
  readonly shown: { readonly proof: string; readonly isFirst: boolean; readonly cookie: string };
  /** The key of a registration. */
  readonly key: string;
  readonly outcome: string;
  /** The generation after a refresh. */
  readonly answer: number;
}

interface ModelRun {
  /** Number of tried histories. */
  readonly samples: number;
  /** Maximum length in steps. */
  readonly steps: number;
  /** The same seed gives the same histories. */
  readonly seed: number;
  /** The action that makes the steps; `step` by default. */
  readonly step?: string;
}

const SIMULATIONS = join(dirname(fileURLToPath(import.meta.url)), '../../../test/simulation');
const QUINT = join(
  dirname(fileURLToPath(import.meta.resolve('@informalsystems/quint/package.json'))),
  'dist/src/cli.js',
);

/** Searches for a history that breaks one of the invariants. Returns Quint's output, and whether it found one. */
export async function findViolation(
  instance: ModelInstance,
  invariants: readonly string[],
  run: ModelRun,
): Promise<{ readonly isViolated: boolean; readonly text: string }> {
  const { exitCode, text } = await quint(instance, run, ['--invariants', ...invariants]);
  const isViolated = text.includes('[violation]');
  if (!isViolated && exitCode !== 0) throw new Error(`quint: ${text}`);
  return { isViolated, text };
}

/**
 * Histories of the current rule.
 * @param folder an empty folder for the files
 * @throws Error if one of them breaks an invariant
 */
export async function sampleHistories(
  folder: string,
  invariants: readonly string[],
  run: ModelRun,
): Promise<ModelCall[][]> {
  const { exitCode, text } = await quint('mended', run, [
    ...['--invariants', ...invariants],
    ...['--out-itf', join(folder, 'history_{seq}.itf.json')],
    ...['--n-traces', String(run.samples)],
  ]);
  if (exitCode !== 0) throw new Error(`quint: ${text}`);
  const files = (await readdir(folder)).sort();
  return Promise.all(files.map(async (file) => callsOf(await readFile(join(folder, file), 'utf8'))));
}

function quint(
  instance: ModelInstance,
  { samples, steps, seed, step = 'step' }: ModelRun,
  more: readonly string[],
): Promise<{ exitCode: number; text: string }> {
  const args = [
    ...[QUINT, 'run', 'rotation.qnt', '--backend', 'typescript', '--main', instance, '--step', step],
    ...['--max-samples', String(samples), '--max-steps', String(steps), '--seed', String(seed)],
    ...['--verbosity', '1', ...more],
  ];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: SIMULATIONS }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : 1, text: `${stdout}${stderr}` });
    });
  });
}

/** The calls of a trace in the Informal Trace Format, whose whole numbers are `{ "#bigint": "1" }`. */
function callsOf(text: string): ModelCall[] {
  const { states } = JSON.parse(text, (_, value) =>
    typeof value?.['#bigint'] === 'string' ? Number(value['#bigint']) : value,
  ) as { states: Record<string, ModelCall>[] };
  return states.map((state) => {
    const name = Object.keys(state).find((each) => each.endsWith('::call')) ?? '';
    return state[name] as ModelCall;
  });
}
