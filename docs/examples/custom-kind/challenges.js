// Challenges of our own: a sum in words, characters to type backwards, words that do not belong. For `CAPTCHA_MODULE`.

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** The answer is one text, so the service keeps a scrambled copy and checks it by itself. */
const sum = {
  name: 'sum',
  make({ random }) {
    const [one, other] = [random.below(NUMBERS.length), random.below(NUMBERS.length)];
    return {
      answer: String(one + 1 + other + 1),
      fields: { question: `How much is ${NUMBERS[one]} and ${NUMBERS[other]}? Answer in digits.` },
    };
  },
};

/** With a `text` there is an image, drawn as the preset says. */
const backwards = {
  name: 'backwards',
  make({ random, phrase }) {
    const characters = Array.from({ length: phrase.length }, () => random.pick([...phrase.alphabet]));
    return {
      answer: characters.toReversed().join(''),
      text: characters.join(''),
      fields: { question: 'Type the characters from right to left.' },
    };
  },
};

const ANIMALS = ['horse', 'sparrow', 'otter', 'salmon', 'badger', 'heron', 'goat', 'lizard'];
const TOOLS = ['hammer', 'saw', 'pliers', 'chisel', 'file', 'spanner'];

/** Six words, two of which are tools: the same ones whenever the same random choices are made. */
function riddle(random) {
  const words = [...several(random, ANIMALS, 4), ...several(random, TOOLS, 2)];
  const shown = several(random, words, words.length);
  return { shown, odd: shown.flatMap((word, at) => (TOOLS.includes(word) ? [at + 1] : [])) };
}

function several(random, list, count) {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0]);
}

/** Right is `2 5` as well as `5, 2`, so the kind judges by itself. Whoever checks it has to know it. */
const odd = {
  name: 'odd',
  maxAnswerCharacters: 20,
  hasMinimumTime: true,
  issue: ({ random }) => ({
    fields: { question: 'Which two do not belong? Give their numbers.', words: riddle(random).shown },
  }),
  verify(_rest, answer, { random }) {
    const given = new Set(answer.match(/\d+/g)?.map(Number));
    const wanted = riddle(random).odd;
    return given.size === wanted.length && wanted.every((number) => given.has(number)) ? 'right' : 'wrong';
  },
};

export const kinds = [sum, backwards, odd];

/** What `?preset=` may name; whatever a preset leaves out is that of `default`. */
export const presets = {
  sum: { kind: 'sum' },
  backwards: { kind: 'backwards', phrase: { length: 4 } },
  odd: { kind: 'odd' },
  large: { phrase: { length: 5 }, picture: { width: 400, height: 130 } },
};
