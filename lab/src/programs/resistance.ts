// Tesseract's recognition of the default preset's images, and of a control that it must be able to read.
import { randomInt } from 'node:crypto';
import type { Program } from '../program.js';
import type { Report } from '../report/report.js';
import { drawSamples, reportDrawing } from '../resistance/draw-samples.js';
import { IMAGE_PRESETS } from '../resistance/image-presets.js';
import { type Attempt, placedBeyondChance, readSamples } from '../resistance/read-samples.js';
import { tesseractVersion } from '../resistance/tesseract.js';
import { wilsonInterval } from '../statistics.js';

const CONTROL_READ = 0.8;
const CHARACTERS_READ = 0.05;

const OPTIONS = {
  count: { type: 'string', default: '200' },
  preset: { type: 'string', multiple: true, default: Object.keys(IMAGE_PRESETS) },
  seed: { type: 'string', default: String(randomInt(2 ** 32)) },
} as const;

const program: Program<typeof OPTIONS> = {
  title:
    'recognition by Tesseract: control above 80 %, default preset 0 of 200 exact and under 5 % of characters',
  options: OPTIONS,
  async run({ values }, report) {
    const [count, seed] = [Number(values.count), Number(values.seed)];
    report.say(`${await tesseractVersion()}; ${count} images a preset, seed ${seed}`);
    report.say(
      'exact: whole texts. placed: characters at their place from the left, compared with what the same answers get',
    );
    report.say(
      'on other images (chance). aligned: characters kept by the shortest edit. 95 % intervals (Wilson).',
    );
    for (const name of values.preset) {
      const preset = IMAGE_PRESETS[name];
      if (!preset)
        throw new RangeError(`no preset ${name}; there are ${Object.keys(IMAGE_PRESETS).join(', ')}`);
      report.say(`\n${name}`);
      const samples = await drawSamples(preset, { count, seed });
      reportDrawing(report, samples);
      const attempts = (await readSamples(samples)).sort(byDanger);
      for (const attempt of attempts) report.say(`  ${describe(attempt)}`);
      judge(name, attempts, report);
    }
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

/** Compares the results with the bounds of the preset, if it has any. */
function judge(name: string, attempts: readonly Attempt[], report: Report): void {
  const images = attempts[0]!.hits.length;
  if (name === 'control') {
    const read = attempts[0]!.seen.exact / images;
    report.verdict('control: texts read exactly', read * 100, { atLeast: CONTROL_READ * 100 }, '%');
    return;
  }
  const inAny = attempts[0]!.hits.filter((_, image) => attempts.some(({ hits }) => hits[image])).length;
  report.say(`  in any of ${attempts.length} ways ${inAny} of ${images} (${interval(inAny, images)})`);
  if (name !== 'default') return;
  const placed = Math.max(...attempts.map(({ seen }) => seen.placed / seen.characters));
  const beyond = Math.max(...attempts.map(placedBeyondChance));
  report.say(`  characters beyond chance: at most ${percent(beyond)}`);
  report.verdict('default: texts read exactly in any way', inAny, { atMost: 0 });
  report.verdict('default: characters at their place', placed * 100, { atMost: CHARACTERS_READ * 100 }, '%');
}

function interval(hits: number, samples: number): string {
  const { low, high } = wilsonInterval(hits, samples);
  return `${percent(low)} to ${percent(high)}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
}
