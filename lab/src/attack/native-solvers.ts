// The attacker's solvers in C: compiled if there is a compiler, verified against the original's values and our checker, measured.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { solves, solvesHashwx, warmHashwx } from '@tollgate/shared/pow';
import { hashVectors } from '@tollgate/test-support/hashwx/vectors.js';

/** Sources are read from the source tree: the TypeScript compiler copies nothing. */
const SOURCES = fileURLToPath(new URL('../../../src/attack/native/', import.meta.url));
const COMPILER = process.env.CC || 'cc';

export type AttackAlgorithm = 'sha256' | 'hashwx';

/** One engine's result in one round; processor time. */
export interface RateSample {
  readonly algorithm: AttackAlgorithm;
  readonly engine: string;
  readonly nsPerHash: number;
  /** Time to generate the function and its code, for HashWX; otherwise 0. */
  readonly functionNs: number;
}

export interface NativeSolvers {
  /** Names by algorithm; they depend on the processor. */
  readonly engines: Readonly<Record<AttackAlgorithm, readonly string[]>>;
  /**
   * Compares every engine with the original's hashes and solves challenges for our checker.
   * @throws Error naming the wrong engine
   */
  verify(): void;
  /** Measures all engines in turn, some milliseconds each. */
  rates(rounds: number): RateSample[];
  close(): void;
}

/** @returns null without a C compiler */
export function compileSolvers(): NativeSolvers | null {
  if (spawnSync(COMPILER, ['--version']).status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-attack-'));
  const program = join(folder, 'attack');
  const sources = readdirSync(SOURCES).filter((file) => file.endsWith('.c'));
  execFileSync(COMPILER, ['-std=gnu11', '-O3', '-o', program, ...sources], {
    cwd: SOURCES,
  });
  const run = (words: readonly (string | number)[], input = ''): string[] => {
    const output = execFileSync(program, words.map(String), { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
    return output.trim().split('\n');
  };
  const named = run(['engines']).map((line) => line.split('\t'));
  const namesOf = (algorithm: AttackAlgorithm) =>
    named.filter(([of]) => of === algorithm).map(([, name]) => name!);
  const engines = { sha256: namesOf('sha256'), hashwx: namesOf('hashwx') };
  return {
    engines,
    verify() {
      for (const [at, name] of engines.sha256.entries()) verifySha256(name, (words) => run(words)[0]!, at);
      for (const [at, name] of engines.hashwx.entries()) verifyHashwx(name, run, at);
    },
    rates: (rounds) => run(['rates', rounds]).map(readSample),
    close: () => rmSync(folder, { recursive: true }),
  };
}

type Words = readonly (string | number)[];

const SALTS = 8;

function verifySha256(name: string, solve: (words: Words) => string, at: number): void {
  const digest = (text: string) => createHash('sha256').update(text).digest().toString('latin1');
  for (let i = 0; i < SALTS; i++) {
    const bits = 10 + i;
    const salt = randomBytes(16).toString('hex');
    const nonce = solve(['solve-sha256', at, salt, bits]);
    if (!solves(digest, salt, nonce, bits)) throw new Error(`SHA-256 with ${name} does not solve ${salt}`);
  }
}

function verifyHashwx(name: string, run: (words: Words, input?: string) => string[], at: number): void {
  const lines = hashVectors.map(({ seed, hashes }) =>
    [seed.toString('hex'), ...hashes.map(({ nonce }) => nonce)].join(' '),
  );
  const found = run(['hash', at], `${lines.join('\n')}\n`);
  const expected = hashVectors.flatMap(({ hashes }) => hashes.map(({ hash }) => hash));
  const isEqual = found.every((hash, i) => BigInt(`0x${hash}`) === expected[i]);
  if (!isEqual || found.length !== expected.length) {
    throw new Error(`HashWX with ${name} does not give the original's hashes`);
  }
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  for (let i = 0; i < SALTS; i++) {
    const [partDifficulty, noncesPerFunction] = [100 * (i + 1) + i, i % 2 === 0 ? 65_536 : 100];
    const seed = randomBytes(32).toString('hex');
    const [solution = ''] = run(['solve-hashwx', at, seed, partDifficulty, noncesPerFunction]);
    if (!solvesHashwx(warmHashwx(), sha256, { seed, partDifficulty, noncesPerFunction }, solution)) {
      throw new Error(`HashWX with ${name} does not solve ${seed}`);
    }
  }
}

function readSample(line: string): RateSample {
  const [algorithm, engine, hashes, ns, functionNs] = line.split('\t');
  return {
    algorithm: algorithm as AttackAlgorithm,
    engine: engine!,
    nsPerHash: Number(ns) / Number(hashes),
    functionNs: Number(functionNs),
  };
}
