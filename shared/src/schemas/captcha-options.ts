// The options of the challenges: schema, defaults and checks.

import { OptionalKind, type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { captchaOptionMistakes } from './captcha-option-mistakes.js';
import { ConfigurationError } from './configuration-error.js';
import { expectationOf } from './expectation.js';
import { leavesOf, optionsFrom, strangersIn, valueAt } from './option-tree.js';

const FIELD_NAME = '^[A-Za-z0-9_.-]{1,64}$';
const fieldName = (name: string, description: string) =>
  Type.String({
    default: name,
    description,
    pattern: FIELD_NAME,
    expected: 'a field name of 1 to 64 letters, digits, _, . or -',
  });
const seconds = (value: number, maximum: number, description: string) =>
  Type.Integer({ default: value, minimum: 1, maximum, description });
const step = (value: number, description: string) =>
  Type.Integer({ default: value, minimum: 0, description });
const flag = (value: boolean, description: string) => Type.Boolean({ default: value, description });
const group = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** A name, HashWX with its exchange if it is not the usual one. */
const ALGORITHM = '(?:sha256|hashwx-1(?:=[1-9][0-9]{0,3})?)';

const DAY_SECONDS = 86_400;

/** All options of the challenges. Their store is a separate variable. */
export const CaptchaOptions = group({
  driver: Type.Optional(
    Type.Union([Type.Literal('canvas'), Type.Literal('@napi-rs/canvas')], {
      description: 'Image library that must draw; the first that loads when unset',
      shownDefault: 'the first that loads',
    }),
  ),
  cache: group({
    prefix: Type.String({
      default: 'captcha',
      description: 'First part of every key of challenges and counters',
      pattern: '^(?!session(?:$|:))[A-Za-z0-9_.:-]{1,64}$',
      expected:
        'up to 64 letters, digits, _, ., : or -, and not session, which is the prefix of the sessions',
    }),
    expire: seconds(120, DAY_SECONDS, 'Seconds that an image challenge lives'),
  }),
  pow: group({
    enabled: flag(true, 'Whether the proof of work is checked; the endpoint issues in any case'),
    difficulty: Type.Integer({ default: 16, minimum: 1, maximum: 24, description: 'Floor, in bits' }),
    escalate: flag(true, 'Whether recorded failures raise the difficulty'),
    step: step(2, 'Bits added per recorded failure'),
    max_difficulty: Type.Integer({ default: 24, minimum: 1, maximum: 24, description: 'Ceiling, in bits' }),
    algorithms: Type.String({
      default: 'sha256',
      description:
        'Algorithms that work may be done in, separated by commas: sha256, and hashwx-1 for clients that ask for it. hashwx-1=N counts one of its hashes as N of SHA-256, 28 by default',
      pattern: `^${ALGORITHM}(?:,${ALGORITHM})*$`,
      expected: 'sha256, and hashwx-1 or hashwx-1=N if you want it, separated by commas',
    }),
    nonces_per_function: Type.Integer({
      default: 65_536,
      minimum: 512,
      maximum: 65_536,
      description: 'Nonces that one function of hashwx-1 hashes',
    }),
    volume: group({
      every: Type.Integer({ default: 20, minimum: 1, description: 'Requests of an address per increment' }),
      step: step(2, 'Bits added per increment'),
    }),
    expire: seconds(120, DAY_SECONDS, 'Seconds that a proof-of-work challenge lives'),
    expire_grows: flag(true, 'Whether hard challenges live longer, so that slow devices can finish them'),
    fields: group({
      token: fieldName('pow_token', 'Name of the field with the token of the proof of work'),
      nonce: fieldName('pow_nonce', 'Name of the field with the nonce'),
    }),
  }),
  fields: group({
    token: fieldName('captcha_token', 'Name of the field with the token of the image'),
    answer: fieldName('captcha', 'Name of the field with the answer to the image'),
  }),
  escalation: group({
    after: Type.Integer({
      default: 2,
      minimum: 0,
      // The store keeps the newest 100 failures: a higher threshold could never be reached.
      maximum: 100,
      description:
        'Failures of an account before an image is demanded; 0 demands one at every attempt on an account',
    }),
    decay: seconds(900, 30 * DAY_SECONDS, 'Seconds that a failure, and the request count, is remembered'),
  }),
  load_levels: Type.Optional(
    Type.String({
      description:
        'Bits that each level of load adds to the floor, the lowest level first; `2,4,6` is a good value. Unset, the price does not depend on the load',
      shownDefault: 'none',
      pattern: '^(?:[1-9]|1[0-9]|2[0-3])(?:,(?:[1-9]|1[0-9]|2[0-3])){0,7}$',
      expected: 'one to eight whole numbers of bits, separated by commas',
    }),
  ),
  min_seconds: Type.Number({
    default: 1.5,
    minimum: 0,
    description: 'An image answered faster than this fails; 0 switches it off',
  }),
  no_script: Type.Optional(
    Type.Literal('image', {
      description:
        'With `image`, a submission without work is accepted with an image that was requested for it, for pages without JavaScript',
      shownDefault: 'off',
    }),
  ),
  bind_ip: flag(false, 'Whether the answer must come from the address that asked'),
  phrase: group({
    type: Type.String({
      default: 'text',
      description: 'Kind of image challenge',
      pattern: FIELD_NAME,
      expected: 'a name of 1 to 64 letters, digits, _, . or -',
    }),
    width: Type.Optional(
      Type.Integer({
        minimum: 120,
        maximum: 480,
        description: 'Width in pixels of the images of a kind of your own',
        shownDefault: 'that of the preset',
      }),
    ),
  }),
  effort: group({
    enabled: flag(true, 'Whether sixteen parts of work may stand in for a demanded image'),
    bits: Type.Integer({
      default: 4,
      minimum: 0,
      maximum: 8,
      description: 'Bits that this costs more than a proof of work',
    }),
  }),
  routes: group({
    prefix: Type.String({
      default: 'api/captcha',
      description: 'Path of the public routes of the challenge service',
      maxLength: 128,
      pattern: '^/*(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.~-]+(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.~-]+)*/*$',
      expected: 'path segments such as api/captcha',
      outerSlashes: false,
    }),
  }),
  test_mode: flag(
    false,
    'For the tests of host applications: answers are told, the floor may be as low as 1',
  ),
});
export type CaptchaOptions = Static<typeof CaptchaOptions>;

/** The options as an application writes them; missing ones have their defaults. */
export type CaptchaOptionsInput = Partially<CaptchaOptions>;

type Partially<T> = { [K in keyof T]?: T[K] extends object ? Partially<T[K]> : T[K] | undefined };

/**
 * Returns the complete options with their defaults, frozen.
 *
 * @throws ConfigurationError with a line per mistake, each beginning with the option's path (`pow.difficulty`)
 */
export function resolveCaptchaOptions(partial: CaptchaOptionsInput = {}): CaptchaOptions {
  const options = optionsFrom(CaptchaOptions, ({ path }) => valueAt(partial, path)) as CaptchaOptions;
  const mistakes = [...strangersIn(partial, CaptchaOptions), ...checkCaptchaOptions(options, (path) => path)];
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return options;
}

/**
 * Returns a line for each mistake in complete options.
 *
 * @param nameOf returns the name of an option for its readers, from its path (`pow.volume.every`)
 */
export function checkCaptchaOptions(options: CaptchaOptions, nameOf: (path: string) => string): string[] {
  const single = leavesOf(CaptchaOptions).flatMap(({ path, schema }) => {
    const value = valueAt(options, path);
    if (value === undefined ? OptionalKind in schema : Value.Check(schema, value)) return [];
    return [`${nameOf(path.join('.'))} must be ${expectationOf(schema)}, not ${JSON.stringify(value)}`];
  });
  // Comparing invalid values would report valid ones too.
  return single.length > 0 ? single : captchaOptionMistakes(options, nameOf);
}
