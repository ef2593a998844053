// Draws mutants from all sources: a share for scripts and gateways, the others in proportion to their lines.
import { openRandom } from '../random.js';
import { canLoad, type Mutant, mutantsOf, read } from './mutant.js';
import type { Source } from './sources.js';

/** Small areas that are drawn more often than their share. */
const LEAST: Readonly<Record<string, number>> = { Lua: 60, gateways: 40 };

/** Returns different mutants in drawing order; the same ones for the same seed and sources. */
export function draw(sources: readonly Source[], count: number, seed: number): Mutant[] {
  const random = openRandom(seed);
  const drawn: Mutant[] = [];
  const drawFrom = (some: readonly Source[], wanted: number) => {
    const left = some.map((source) => ({
      source,
      lines: read(source).split('\n').length,
      mutants: mutantsOf(source),
    }));
    for (let missing = wanted; missing > 0 && left.some(({ mutants }) => mutants.length > 0); ) {
      let line = random.below(left.reduce((sum, { lines }) => sum + lines, 0));
      const chosen = left.find(({ lines }) => {
        line -= lines;
        return line < 0;
      })!;
      const [mutant] = chosen.mutants.splice(random.below(chosen.mutants.length), 1);
      if (mutant === undefined || !canLoad(mutant, chosen.source)) continue;
      drawn.push(mutant);
      missing -= 1;
    }
  };
  for (const [room, least] of Object.entries(LEAST)) {
    drawFrom(
      sources.filter((source) => source.room === room),
      least,
    );
  }
  drawFrom(
    sources.filter(({ room }) => LEAST[room] === undefined),
    count - drawn.length,
  );
  for (let at = drawn.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [drawn[at], drawn[other]] = [drawn[other]!, drawn[at]!];
  }
  return drawn;
}
