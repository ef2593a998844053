// Image endpoint challenges: output of the challenge type, record, response, and drawing by node.

import {
  type AnswerRecord,
  type AnswerType,
  addressPseudonyms,
  type ChallengeType,
  drawKey,
  formatAnswerRecord,
  normaliseAnswer,
  parseAnswerRecord,
  parseVerifiedRecord,
  scrambleAnswer,
  type VerifiedType,
} from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { type CaptchaOptionsInput, resolveCaptchaOptions } from '@tollgate/shared/schemas';
import t from 'tap';
import { answerContent, verifiedContent } from '../../src/domain/challenge-content.js';
import { type DrawingDependencies, drawingOf } from '../../src/domain/drawing.js';
import { imageChallenge, imageIssue, mayHaveImage, NO_IMAGE } from '../../src/domain/image-challenge.js';
import { answerText } from '../../src/image/derivation.js';
import { defaultPreset } from '../../src/presets/preset.js';
import { type NamedPreset, resolvePresets } from '../../src/presets/presets.js';

const NOW = 1_800_000_000_000;
const IP = '203.0.113.7';
const DRIVER = 'canvas@1.0.0:00000000';
const ring = openKeyRing('challenge-secret-of-the-tests-0001');
const key = ring.current;
const TOKEN = 'T'.repeat(40);

const made = (name: string, result: unknown): AnswerType => ({ name, make: () => result as never });
const issuedBy = (name: string, result: unknown): VerifiedType => ({
  name,
  maxAnswerCharacters: 9,
  hasMinimumTime: true,
  issue: () => result as never,
  verify: () => 'right',
});
const word = made('word', { answer: 'Yes', text: 'TRY', fields: { hint: 'a word' } });
const riddle: AnswerType = { ...made('riddle', { answer: 'Yes' }), hasMinimumTime: false };
const echo = issuedBy('echo', { fields: { say: 'x' }, rest: 'kept' });

function presetsOf(sources: Readonly<Record<string, unknown>>, kinds: readonly ChallengeType[] = []) {
  const options = resolveCaptchaOptions({});
  const { presets, mistakes } = resolvePresets({
    options,
    sources: [{ name: 'presets', presets: sources }],
    kinds,
  });
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  return presets;
}
const presets = presetsOf(
  {
    word: { kind: 'word' },
    riddle: { kind: 'riddle' },
    echo: { kind: 'echo' },
    call: { kind: 'echo' },
    large: { phrase: { length: 8 } },
  },
  [word, riddle, echo],
);
const presetNamed = (name: string) => presets.get(name) as NamedPreset;

function depsWith(input: CaptchaOptionsInput = {}) {
  const random = (size: number) => new Uint8Array(size).fill(1);
  return { options: resolveCaptchaOptions(input), ring, limit: { max: 30, windowMs: 60_000 }, random };
}
const recordOf = ({ issue }: ReturnType<typeof imageIssue>) =>
  parseVerifiedRecord(`${NOW} ${issue.recordTail}`);
const answerOf = (prepared: ReturnType<typeof imageIssue>) =>
  parseAnswerRecord(recordOf(prepared)?.rest ?? '');

t.test('without a custom type the answer is the image text', async (t) => {
  const text = answerText(drawKey(key), TOKEN, 7, defaultPreset);
  t.strictSame(answerContent({ preset: defaultPreset, kind: null }, key, TOKEN, 7), {
    answer: text,
    fields: {},
    text,
  });
});

t.test('a type with one answer may return fields and an image text', async (t) => {
  const contentOf = (kind: AnswerType) => answerContent({ preset: defaultPreset, kind }, key, TOKEN, 7);
  t.strictSame(contentOf(word), { answer: 'Yes', fields: { hint: 'a word' }, text: 'TRY' });
  t.strictSame(contentOf(riddle), { answer: 'Yes', fields: {}, text: null });
  const longest = 'x'.repeat(64);
  t.strictSame(contentOf(made('long', { answer: longest, text: longest })), {
    answer: longest,
    fields: {},
    text: longest,
  });
  let seen: unknown;
  contentOf({
    name: 'seen',
    make: ({ phrase, random }) => {
      seen = [phrase, random.below(2 ** 32)];
      return { answer: 'x' };
    },
  });
  t.match(seen, [defaultPreset.phrase, Number]);
});

t.test("any other output of a type fails with the type's name, and its error is not quoted", async (t) => {
  const failing = (result: unknown, expected: RegExp) => {
    const run = () => answerContent({ preset: defaultPreset, kind: made('bad', result) }, key, TOKEN, 7);
    t.throws(run, { message: expected });
  };
  for (const result of [undefined, null, 'x', [], Promise.resolve({ answer: 'x' })])
    failing(
      result,
      result instanceof Promise
        ? /must give an answer of 1 to 64/
        : /make of the kind bad must return an object/,
    );
  for (const answer of [undefined, 7, '', ' ', 'x'.repeat(65)])
    failing({ answer }, /must give an answer of 1 to 64/);
  for (const text of [7, '', 'x'.repeat(65)]) failing({ answer: 'x', text }, /must give a text of 1 to 64/);
  for (const fields of [null, 7, []]) failing({ answer: 'x', fields }, /must return an object/);
  for (const name of ['token', 'url', 'expires_in', 'expires_at', 'answer', 'constructor'])
    failing(
      { answer: 'x', fields: { other: 1, [name]: 1 } },
      new RegExp(`must not give a field named ${name}`),
    );
  failing({ answer: 'x', fields: { big: 1n } }, /make of the kind bad threw TypeError/);
});

t.test('a type that verifies stores 1 to 4,000 characters of its own, or none', async (t) => {
  const options = resolveCaptchaOptions({});
  const contentOf = (kind: VerifiedType) => verifiedContent(kind, options, key, TOKEN);
  t.strictSame(contentOf(echo), { fields: { say: 'x' }, rest: 'kept' });
  t.strictSame(contentOf(issuedBy('bare', {})), { fields: {}, rest: '-' });
  t.equal(contentOf(issuedBy('long', { rest: 'é'.repeat(4000) })).rest.length, 4000);
  for (const rest of ['', 'x'.repeat(4001), 'a\nb', '\ta', 'a\u0000', 7])
    t.throws(() => contentOf(issuedBy('bad', { rest })), {
      message: /issue of the kind bad must give a rest/,
    });
  t.throws(() => contentOf(issuedBy('bad', { fields: { url: 1 } })), { message: /field named url/ });
  const { issue: _, ...silent } = echo;
  t.throws(() => contentOf(silent), { message: /issue of the kind echo must return an object/ });
});

t.test('an image record can be redrawn and contains the answer only as a hash', async (t) => {
  const known = presetNamed('default');
  const prepared = imageIssue(depsWith({ bind_ip: true }), known, DRIVER, IP);
  const { address, networks, tag } = addressPseudonyms(key, IP);
  const { issue, answer = '' } = prepared;
  t.match(issue, { address, networks, limit: { max: 30 }, expireSeconds: 120 });
  t.match(issue.token, new RegExp(`^${tag}[A-Za-z0-9]{38}$`));
  t.match(recordOf(prepared), { verifiedBy: 'answer', type: 'text', keyId: key.id, address });
  t.strictSame(answerOf(prepared), {
    preset: known.fingerprint,
    driver: DRIVER,
    seed: 0x01010101,
    fold: true,
    answer: scrambleAnswer(key, issue.token, normaliseAnswer(answer, true)),
  });
  t.strictSame([prepared.hasImage, prepared.characters], [true, '23CDHPTX']);
  t.equal(recordOf(imageIssue(depsWith(), known, DRIVER, IP))?.address, null);
});

t.test('a page without JavaScript chooses the token, and its image is accepted without work', async (t) => {
  const chosen = imageIssue(depsWith(), presetNamed('default'), DRIVER, IP, { token: TOKEN });
  t.equal(chosen.issue.token, TOKEN);
  t.equal(answerOf(chosen)?.alone, true);
  t.equal(answerOf(imageIssue(depsWith(), presetNamed('default'), DRIVER, IP))?.alone, undefined);
});

t.test('custom challenge types', async (t) => {
  const issueOf = (name: string) => imageIssue(depsWith(), presetNamed(name), DRIVER, IP);
  t.match(issueOf('word'), {
    hasImage: true,
    characters: undefined,
    fields: { hint: 'a word' },
    answer: 'Yes',
  });
  t.match(answerOf(issueOf('word')), { driver: DRIVER, untimed: undefined });
  t.equal(recordOf(issueOf('word'))?.type, 'word');
  t.match(issueOf('riddle'), { hasImage: false, characters: undefined });
  t.match(answerOf(issueOf('riddle')), { driver: NO_IMAGE, untimed: true });
  t.match(issueOf('echo'), { hasImage: false, fields: { say: 'x' }, answer: undefined });
  t.match(recordOf(issueOf('echo')), { verifiedBy: 'verify', type: 'echo', rest: 'kept' });
  t.match(recordOf(issueOf('call')), { type: 'echo', preset: 'call' });
  t.strictSame(
    ['default', 'word', 'riddle', 'echo'].map((name) => mayHaveImage(presetNamed(name))),
    [true, true, true, false],
  );
  const exact = presetsOf({ exact: { phrase: { alphabet: 'dHCXP23T', ignore_capitals: false } } }).get(
    'exact',
  );
  t.equal(imageIssue(depsWith(), exact as NamedPreset, DRIVER, IP).characters, '23CHPTXd');
});

t.test('the response for an image: its URL, and a hint or an answer only if configured', async (t) => {
  const issued = { allowed: true, nowMs: NOW, difficulty: 0, lifetimeSeconds: 90 } as never;
  const prepared = imageIssue(depsWith(), presetNamed('default'), DRIVER, IP);
  const { token } = prepared.issue;
  const body = {
    token,
    url: `https://x.example/images/${token}.png`,
    expires_in: 90,
    expires_at: '2027-01-15T08:01:30+00:00',
  };
  const bodyOf = (testMode: boolean, hasHint: boolean) =>
    imageChallenge(prepared, issued, 'https://x.example/images', testMode, hasHint);
  t.strictSame(bodyOf(false, false), body);
  t.strictSame(bodyOf(false, true), { ...body, characters: '23CDHPTX' });
  t.strictSame(bodyOf(true, false), { ...body, answer: prepared.answer });
  const other = imageIssue(depsWith(), presetNamed('echo'), DRIVER, IP);
  const { url: _, ...bare } = body;
  t.strictSame(imageChallenge(other, issued, 'https://x.example/images', true, true), {
    ...bare,
    token: other.issue.token,
    say: 'x',
  });
});

t.test('a node draws only images of its own driver and preset, and names the others', async (t) => {
  const deps: DrawingDependencies = { ring, presets, driver: DRIVER };
  const drawingFor = (name: string, changes: Partial<DrawingDependencies> = {}) => {
    const { issue } = imageIssue(depsWith(), presetNamed(name), DRIVER, IP);
    return drawingOf(`${NOW} ${issue.recordTail}`, issue.token, { ...deps, ...changes });
  };
  const drawn = drawingFor('default');
  const answer = imageIssue(depsWith(), presetNamed('default'), DRIVER, IP).answer;
  t.match(drawn, { outcome: 'draw', job: { text: answer, preset: defaultPreset } });
  t.match(drawingFor('word'), { outcome: 'draw', job: { text: 'TRY' } });
  t.match(drawingFor('large'), { outcome: 'draw', job: { text: /^.{8}$/ } });

  const unknown = { outcome: 'unknown' };
  t.strictSame(drawingOf(null, TOKEN, deps), unknown);
  t.strictSame(drawingOf('x', TOKEN, deps), unknown);
  t.strictSame(drawingOf(`${NOW} answer text ${key.id} - x`, TOKEN, deps), unknown, 'a rest that is none');
  t.strictSame(drawingFor('echo'), unknown, 'its type verifies it');
  t.strictSame(drawingFor('riddle'), unknown, 'it has no image');
  t.strictSame(drawingFor('default', { ring: openKeyRing('b'.repeat(32)) }), unknown, 'a key of before');
  t.strictSame(drawingFor('default', { driver: null }), { outcome: 'no_library' });
  t.strictSame(drawingFor('default', { driver: 'another' }), { outcome: 'other_driver', other: DRIVER });
  const other = (name: string) => ({ outcome: 'other_preset', other: name });
  t.strictSame(drawingFor('large', { presets: new Map() }), other('large'));
  const drawnOtherwise = presetsOf({ large: { phrase: { length: 8 }, speckles: { count: 1 } } });
  t.strictSame(drawingFor('large', { presets: drawnOtherwise }), other('large'), 'the same text');
  t.strictSame(
    drawingFor('large', { presets: presetsOf({ large: { phrase: { length: 7 } } }) }),
    other('large'),
  );
});

t.test(
  'a node whose challenge type differs but has the same name and preset draws no other text',
  async (t) => {
    const known = presetNamed('word');
    const { issue } = imageIssue(depsWith(), known, DRIVER, IP);
    const drawingBy = (kind: ChallengeType | null) =>
      drawingOf(`${NOW} ${issue.recordTail}`, issue.token, {
        ring,
        presets: new Map([['word', { ...known, kind }]]),
        driver: DRIVER,
      });
    const other = { outcome: 'other_preset', other: 'word' };
    t.match(drawingBy(word), { outcome: 'draw' });
    t.match(
      drawingBy(made('word', { answer: 'yes', text: 'yes!' })),
      { job: { text: 'yes!' } },
      'the same answer',
    );
    t.strictSame(drawingBy(made('word', { answer: 'No', text: 'NO' })), other, 'another answer');
    t.strictSame(drawingBy(made('word', { answer: 'Yes' })), other, 'no text');
    t.strictSame(drawingBy(made('words', { answer: 'Yes', text: 'TRY' })), other, 'another type');
    t.strictSame(drawingBy(null), other, 'characters');
    t.strictSame(drawingBy(issuedBy('word', {})), other, 'a type that verifies');

    const record: AnswerRecord = {
      preset: known.fingerprint,
      driver: DRIVER,
      seed: 1,
      fold: false,
      answer: scrambleAnswer(key, TOKEN, 'Yes'),
    };
    const exact = (answer: string) =>
      drawingOf(`${NOW} answer word ${key.id} - ${formatAnswerRecord(record)}`, TOKEN, {
        ring,
        presets: new Map([['word', { ...known, kind: made('word', { answer, text: 'shown' }) }]]),
        driver: DRIVER,
      }).outcome;
    t.strictSame([exact('Yes'), exact('yes')], ['draw', 'other_preset'], 'capitals count');
  },
);
