// How much Tesseract reads of the images of the default preset, and of a control that it must be able to read.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Program } from '../program.js';
import { drawSamples, reportDrawing } from '../resistance/draw-samples.js';
import { IMAGE_PRESETS } from '../resistance/image-presets.js';
import { type Attempt, placedBeyondChance, readSamples } from '../resistance/read-samples.js';
import { tesseractVersion } from '../resistance/tesseract.js';
import { wilsonInterval } from '../statistics.js';

const CONTROL_READ = 0.8;
const CHARACTERS_READ = 0.05;

const program: Program = {
  title:
    'what Tesseract reads: control above 80 %, default preset 0 of 200 exact and under 5 % of characters',
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        count: { type: 'string', default: '200' },
        preset: { type: 'string', multiple: true, default: Object.keys(IMAGE_PRESETS) },
        seed: { type: 'string', default: String(randomInt(2 ** 32)) },
      },
    });
    const [count, seed] = [Number(values.count), Number(values.seed)];
    console.log(`${await tesseractVersion()}; ${count} images a preset, seed ${seed}`);
    console.log(
      'exact: whole texts. placed: characters at their place from the left, compared with what the same answers get',
    );
    console.log(
      'on other images (chance). aligned: characters kept by the shortest edit. 95 % intervals (Wilson).',
    );
    let isKept = true;
    for (const name of values.preset) {
      const preset = IMAGE_PRESETS[name];
      if (!preset)
        throw new RangeError(`no preset ${name}; there are ${Object.keys(IMAGE_PRESETS).join(', ')}`);
      console.log(`\n${name}`);
      const samples = await drawSamples(preset, { count, seed });
      reportDrawing(samples);
      const attempts = (await readSamples(samples)).sort(byDanger);
      for (const attempt of attempts) console.log(`  ${describe(attempt)}`);
      const verdict = verdictOn(name, attempts);
      if (verdict) {
        console.log(`  ${verdict.text}: ${verdict.isKept ? 'kept' : 'NOT kept'}`);
        isKept &&= verdict.isKept;
      }
    }
    return isKept;
  },
};
export default program;

function byDanger(one: Attempt, other: Attempt): number {
  return other.seen.exact - one.seen.exact || other.seen.placed - one.seen.placed;
}

function describe(attempt: Attempt): string {
  const { name, seen, byChance } = attempt;
  const chance = `chance ${percent(byChance.placed / byChance.characters)}`;
  return [
    name.padEnd(58),
    `exact ${seen.exact} of ${seen.texts} (${interval(seen.exact, seen.texts)})`,
    `placed ${percent(seen.placed / seen.characters)} (${interval(seen.placed, seen.characters)}; ${chance})`,
    `aligned ${percent(seen.aligned / seen.characters)} (${interval(seen.aligned, seen.characters)}; chance ${percent(byChance.aligned / byChance.characters)})`,
  ].join('  ');
}

/** Compares the results with the bound of the preset; undefined for a preset without a bound. */
function verdictOn(
  name: string,
  attempts: readonly Attempt[],
): { text: string; isKept: boolean } | undefined {
  const images = attempts[0]!.hits.length;
  const inAny = attempts[0]!.hits.filter((_, image) => attempts.some(({ hits }) => hits[image])).length;
  const best = attempts[0]!.seen.exact / images;
  const any = `in any of ${attempts.length} ways ${inAny} of ${images} (${interval(inAny, images)})`;
  if (name === 'control')
    return { text: `control above 80 %: ${percent(best)}`, isKept: best > CONTROL_READ };
  console.log(`  ${any}`);
  if (name !== 'default') return undefined;
  const placed = Math.max(...attempts.map(({ seen }) => seen.placed / seen.characters));
  const beyond = Math.max(...attempts.map(placedBeyondChance));
  const text = `nothing exact, under 5 % of characters: ${inAny}, at most ${percent(placed)} (${percent(beyond)} beyond chance)`;
  return { text, isKept: inAny === 0 && placed < CHARACTERS_READ };
}

function interval(hits: number, samples: number): string {
  const { low, high } = wilsonInterval(hits, samples);
  return `${percent(low)} to ${percent(high)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
}
