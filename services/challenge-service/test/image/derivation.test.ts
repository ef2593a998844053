// Characters and effects of an image, derived from key, token and seed.
import fc from 'fast-check';
import t from 'tap';
import { answerText, drawingJob } from '../../src/image/derivation.js';
import { defaultPreset } from '../../src/presets/preset.js';
import { drawKey, token } from './samples.js';

const { alphabet, length } = defaultPreset.phrase;

t.test("an answer has the preset's length and only its characters", async (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(),
      fc.integer({ min: 4, max: 8 }),
      (key, seed, wanted) => {
        const preset = { ...defaultPreset, phrase: { ...defaultPreset.phrase, length: wanted } };
        const text = answerText(key, token, seed, preset);
        return text.length === wanted && [...text].every((character) => alphabet.includes(character));
      },
    ),
  );
  t.equal(length, 6);
});

t.test('the same key, token and seed give the same job, and any change gives another', async (t) => {
  const job = drawingJob(drawKey, token, 7, defaultPreset);
  t.same(drawingJob(drawKey, token, 7, defaultPreset), job);
  const others = [
    drawingJob(new Uint8Array(32).fill(0x5b), token, 7, defaultPreset),
    drawingJob(drawKey, token.replace('a', 'b'), 7, defaultPreset),
    drawingJob(drawKey, token, 8, defaultPreset),
  ];
  for (const other of others) {
    t.not(other.text, job.text);
    t.notSame(other.effectsSeed, job.effectsSeed);
  }
});

t.test('under another draw key, none of a thousand answers is the same', async (t) => {
  const wrongKey = new Uint8Array(32).fill(1);
  const same = Array.from({ length: 1000 }, (_, seed) => seed).filter(
    (seed) =>
      answerText(drawKey, token, seed, defaultPreset) === answerText(wrongKey, token, seed, defaultPreset),
  );
  t.same(same, []);
});

t.test('all characters of the alphabet are equally likely', async (t) => {
  const counts = new Map([...alphabet].map((character) => [character, 0]));
  const answers = 20_000;
  for (let seed = 0; seed < answers; seed++) {
    for (const character of answerText(drawKey, token, seed, defaultPreset)) {
      counts.set(character, counts.get(character)! + 1);
    }
  }
  const expected = (answers * length) / alphabet.length;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  t.equal(counts.size, alphabet.length);
  // The 99.9% quantile of chi-square with 10 degrees of freedom. A modulo without rejection would reach about 70.
  t.ok(chiSquare < 29.6, `chi-square ${chiSquare}`);
});

t.test('a seed other than a non-negative integer is rejected', async (t) => {
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) {
    t.throws(() => answerText(drawKey, token, seed, defaultPreset), RangeError);
  }
});
