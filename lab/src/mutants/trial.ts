// One mutant in the working tree: applied, tested, and reverted.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Candidate, candidatesOf } from './candidates.js';
import { isOutside, type Tests } from './coverage.js';
import { type Mutant, type Place, placeOf } from './mutant.js';
import { runTest } from './run-test.js';
import { ROOT, type Source } from './sources.js';

/** Maximum processor time for a mutant's tests, for each that may be tried. */
const SECONDS_PER_TRY = 5;
/** A test that takes this many times as long hangs. */
const HUNG_TIMES = 4;
const HUNG_LEAST_SECONDS = 8;
/** The original text of the changed file, for a killed run. */
const CHANGED = join(ROOT, 'lab/dist/mutant.json');

interface Outcome {
  readonly killedBy?: string;
  readonly seconds?: number;
  readonly survived?: number;
}

/**
 * Tries tests on a mutant until one fails.
 * @param tries maximum number of tests
 * @param first the test that killed it before
 * @returns undefined if its line is gone
 */
export async function tryMutant(
  mutant: Mutant,
  sources: readonly Source[],
  tests: Tests,
  tries: number,
  first?: string,
): Promise<Outcome | undefined> {
  const place = placeOf(mutant, sources);
  if (place === undefined) return undefined;
  const known: Candidate[] = first !== undefined && existsSync(join(ROOT, first)) ? [{ test: first }] : [];
  const attempt = openAttempt(place, tests, tries);
  for (const each of known) if (await attempt.kills(each.test)) return attempt.outcome();
  for (const { test } of await candidatesOf(place, tests)) {
    if (test === first) continue;
    if (attempt.isOver()) break;
    if (await attempt.kills(test)) break;
  }
  return attempt.outcome();
}

function openAttempt(place: Place, tests: Tests, tries: number) {
  const mostSeconds = tries * SECONDS_PER_TRY;
  const { file } = place.source;
  let killed: Outcome | undefined;
  let tried = 0;
  let spent = 0;
  return {
    isOver: () => tried >= tries || spent >= mostSeconds,
    outcome: (): Outcome => killed ?? { survived: tried },
    async kills(test: string): Promise<boolean> {
      const usual = await tests.of(test);
      // One more than fits would make the last test of a survivor the longest.
      if (!usual.passed || (tried > 0 && spent + usual.busySeconds > mostSeconds * 1.25)) return false;
      const restore = apply(place);
      try {
        if (file.startsWith('packages/client/') && isOutside(test)) buildClient();
        const limit = Math.max(HUNG_LEAST_SECONDS, usual.seconds * HUNG_TIMES);
        const { outcome, seconds, busySeconds } = await runTest(test, limit);
        tried += 1;
        spent += busySeconds;
        if (outcome === 'passed') return false;
        killed = { killedBy: test, seconds: Math.round(seconds * 10) / 10 };
        return true;
      } catch (error) {
        if (!(error instanceof BuildError)) throw error;
        killed = { killedBy: 'build', seconds: 0 };
        return true;
      } finally {
        restore();
      }
    },
  };
}

class BuildError extends Error {}

function buildClient(): void {
  for (const program of ['packages/client/build.js', 'packages/client/bundle.js', 'tools/bundle.js']) {
    try {
      execFileSync('nice', ['node', program], { cwd: ROOT, stdio: 'ignore' });
    } catch {
      throw new BuildError(program);
    }
  }
}

/** @returns a function that restores the file */
function apply({ source: { runs }, text, changed }: Place): () => void {
  const path = join(ROOT, runs);
  const { mtime } = statSync(path);
  writeFileSync(CHANGED, JSON.stringify({ path, text }));
  writeFileSync(path, changed);
  return () => {
    writeFileSync(path, text);
    // Bundles of services become valid again; those of the client contain the mutant.
    if (!runs.startsWith('packages/client/')) utimesSync(path, mtime, mtime);
    rmSync(CHANGED, { force: true });
  };
}

/** Restores the files changed by a killed run. */
export function restoreChanged(): void {
  if (!existsSync(CHANGED)) return;
  const { path, text } = JSON.parse(readFileSync(CHANGED, 'utf8')) as { path: string; text: string };
  writeFileSync(path, text);
  rmSync(CHANGED);
}
