// The challenge options: schema, defaults and checks.

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

/** A name; for HashWX with its exchange rate, unless it is the default. */
const ALGORITHM = '(?:sha256|hashwx-1(?:=[1-9][0-9]{0,3})?)';

const DAY_SECONDS = 86_400;

/** All challenge options. Their store is a separate variable. */
export const CaptchaOptions = group({
  driver: Type.Optional(
    Type.Union([Type.Literal('canvas'), Type.Literal('@napi-rs/canvas')], {
      description: 'Required image library',
      shownDefault: 'the first that loads',
    }),
  ),
  cache: group({
    prefix: Type.String({
      default: 'captcha',
      description: 'First part of all challenge and counter keys',
      pattern: '^(?!session(?:$|:))[A-Za-z0-9_.:-]{1,64}$',
      expected: 'up to 64 letters, digits, _, ., : or -, and not session, the prefix of sessions',
    }),
    expire: seconds(120, DAY_SECONDS, 'Lifetime of an image, in seconds'),
  }),
  pow: group({
    enabled: flag(true, 'Checks proofs of work; they are issued in any case'),
    difficulty: Type.Integer({ default: 16, minimum: 1, maximum: 24, description: 'Lowest price, in bits' }),
    escalate: flag(true, 'Failures raise the price'),
    step: step(2, 'Bits per failure'),
    max_difficulty: Type.Integer({
      default: 24,
      minimum: 1,
      maximum: 24,
      description: 'Highest price, in bits',
    }),
    algorithms: Type.String({
      default: 'sha256',
      description: 'List of algorithms: `sha256`, [`hashwx-1`](challenges/hashwx.md)',
      pattern: `^${ALGORITHM}(?:,${ALGORITHM})*$`,
      expected: 'sha256, and hashwx-1 or hashwx-1=N if you want it, separated by commas',
    }),
    nonces_per_function: Type.Integer({
      default: 65_536,
      minimum: 512,
      maximum: 65_536,
      description: 'Nonces per function of hashwx-1',
    }),
    volume: group({
      every: Type.Integer({
        default: 20,
        minimum: 1,
        description: 'Requests of an address per price increment',
      }),
      step: step(2, 'Bits per increment'),
    }),
    expire: seconds(120, DAY_SECONDS, 'Lifetime of a proof of work, in seconds'),
    expire_grows: flag(true, 'Expensive work lives longer, for slow devices'),
    fields: group({
      token: fieldName('pow_token', 'Field of the work token'),
      nonce: fieldName('pow_nonce', 'Field of the nonce'),
    }),
  }),
  fields: group({
    token: fieldName('captcha_token', 'Field of the image token'),
    answer: fieldName('captcha', 'Field of the image answer'),
  }),
  escalation: group({
    after: Type.Integer({
      default: 2,
      minimum: 0,
      // The store keeps the newest 100 failures: a higher threshold could never be reached.
      maximum: 100,
      description: 'Failures of an account before an image is required; 0 requires one at each attempt',
    }),
    decay: seconds(900, 30 * DAY_SECONDS, 'Seconds that failures and request counts last'),
  }),
  load_levels: Type.Optional(
    Type.String({
      description: 'Bits that each [load level](decisions/price-by-load.md) adds, such as `2,4,6`',
      shownDefault: 'none',
      pattern: '^(?:[1-9]|1[0-9]|2[0-3])(?:,(?:[1-9]|1[0-9]|2[0-3])){0,7}$',
      expected: 'one to eight whole numbers of bits, separated by commas',
    }),
  ),
  min_seconds: Type.Number({
    default: 1.5,
    minimum: 0,
    description: 'Images answered faster fail; 0 disables this',
  }),
  no_script: Type.Optional(
    Type.Literal('image', {
      description:
        '`image` accepts an image instead of work, for pages [without JavaScript](challenges/no-script.md)',
      shownDefault: 'off',
    }),
  ),
  bind_ip: flag(false, 'Answers must come from the requesting address'),
  phrase: group({
    type: Type.String({
      default: 'text',
      description: 'Image challenge type',
      pattern: FIELD_NAME,
      expected: 'a name of 1 to 64 letters, digits, _, . or -',
    }),
    width: Type.Optional(
      Type.Integer({
        minimum: 120,
        maximum: 480,
        description: 'Image width in pixels, for your own types',
        shownDefault: 'that of the preset',
      }),
    ),
  }),
  effort: group({
    enabled: flag(true, 'Sixteen parts of [work](challenges/effort.md) may replace a required image'),
    bits: Type.Integer({
      default: 4,
      minimum: 0,
      maximum: 8,
      description: 'Bits on top of a proof of work',
    }),
  }),
  routes: group({
    prefix: Type.String({
      default: 'api/captcha',
      description: 'Path of the public challenge routes',
      maxLength: 128,
      pattern: '^/*(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.~-]+(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.~-]+)*/*$',
      expected: 'path segments such as api/captcha',
      outerSlashes: false,
    }),
  }),
  test_mode: flag(false, 'For tests of applications: reveals answers, allows a lowest price of 1'),
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
 * @param nameOf returns the reader's name of an option, from its path (`pow.volume.every`)
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
