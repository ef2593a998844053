// The challenge types: checks the operator's, and finds the types that verify their own answers.

import { ConfigurationError } from '../../schemas/configuration-error.js';
import { NAME_PATTERN } from '../../schemas/names.js';
import { MAX_ANSWER_CHARACTERS } from './answer-hashing.js';
import type { AnswerType, VerifiedType } from './challenge-type.js';
import { EFFORT, effortType } from './effort-type.js';

/** A challenge type of the operator. */
export type ChallengeType = AnswerType | VerifiedType;

/** The built-in captcha type: characters in an image. */
export const TEXT = 'text';

const NAME = new RegExp(NAME_PATTERN);
const MOST_CHARACTERS = 4000;

/**
 * Returns by name the types that verify their own answers, including built-in ones, which cannot be replaced.
 * @throws ConfigurationError with a line per mistake
 */
export function verifiedTypes(own: readonly ChallengeType[] = []): ReadonlyMap<string, VerifiedType> {
  const mistakes = challengeTypeMistakes(own);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return new Map([...own.filter(isVerifiedType), effortType].map((kind) => [kind.name, kind]));
}

/** Returns the records for which an answer is too long, in the form of the option `exempt` of `take`. */
export function tooLongFor(answer: string, types: ReadonlyMap<string, VerifiedType>): string[] {
  const verified = [...types.values()].filter((kind) => answer.length > kind.maxAnswerCharacters);
  return [
    ...(answer.length > MAX_ANSWER_CHARACTERS ? ['answer'] : []),
    ...verified.map(({ name }) => `verify:${name}`),
  ];
}

/** Returns whether a challenge type verifies its own answers. */
export function isVerifiedType(kind: ChallengeType): kind is VerifiedType {
  return 'verify' in kind;
}

/** Returns a line for each mistake in the operator's challenge types; each begins with `kinds`. */
export function challengeTypeMistakes(kinds: unknown): string[] {
  if (!Array.isArray(kinds)) return ['kinds must be a list of challenge types'];
  const names = new Set<unknown>([TEXT, EFFORT]);
  return kinds.flatMap((kind: unknown, at) => {
    if (typeof kind !== 'object' || kind === null) return [`kinds[${at}] must be an object`];
    const { name } = kind as { name?: unknown };
    const isTaken = names.has(name);
    names.add(name);
    if (typeof name !== 'string' || !NAME.test(name)) {
      return [`kinds[${at}].name must be 1 to 32 letters, digits, _ or -, starting with a letter`];
    }
    if (isTaken) return [`kinds[${at}].name must not be ${name}, which is taken`];
    return shapeMistakes(kind as Readonly<Record<string, unknown>>).map(
      (mistake) => `kinds[${at}] (${name}) ${mistake}`,
    );
  });
}

function shapeMistakes(kind: Readonly<Record<string, unknown>>): string[] {
  const { make, verify, issue, maxAnswerCharacters: characters, hasMinimumTime } = kind;
  const hasFlag = typeof hasMinimumTime === 'boolean';
  if ((typeof make === 'function') === (typeof verify === 'function')) {
    return ['must have either a function make or a function verify'];
  }
  if (typeof make === 'function') {
    return hasFlag || hasMinimumTime === undefined
      ? []
      : ['must have true, false or nothing as hasMinimumTime'];
  }
  const isLength = Number.isInteger(characters) && Number(characters) > 0;
  return [
    ...(issue === undefined || typeof issue === 'function' ? [] : ['must have a function as issue']),
    ...(hasFlag ? [] : ['must have true or false as hasMinimumTime']),
    ...(isLength && Number(characters) <= MOST_CHARACTERS
      ? []
      : [`must have a whole number from 1 to ${MOST_CHARACTERS} as maxAnswerCharacters`]),
  ];
}
