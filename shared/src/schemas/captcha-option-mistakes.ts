// Checks challenge options against each other and against reserved names.

import { valueAt } from './option-tree.js';

/** The options that are compared. */
interface ComparedOptions {
  readonly pow: { readonly difficulty: number; readonly max_difficulty: number; readonly algorithms: string };
  readonly load_levels?: string;
  readonly cache: { readonly expire: number };
  readonly min_seconds: number;
  readonly routes: { readonly prefix: string };
  readonly test_mode: boolean;
}

const LOWEST_FLOOR_BITS = 16;
const FIELDS = ['pow.fields.token', 'pow.fields.nonce', 'fields.token', 'fields.answer'];
// Fields of a login and of the host API.
const TAKEN_FIELDS = new Set(['prototype', 'email', 'password', 'key', 'ip', 'idempotency_key']);
// Paths of both services, which share the public address.
const TAKEN_SEGMENTS = new Set([
  'openapi.json',
  'login',
  'refresh',
  'logout',
  'sessions',
  'profile',
  'verify',
]);

/**
 * Returns a line for each mistake across individually valid options.
 *
 * @param nameOf returns the reader's name of an option, from its path (`pow.volume.every`)
 */
export function captchaOptionMistakes(options: ComparedOptions, nameOf: (path: string) => string): string[] {
  return [
    ...rangeMistakes(options, nameOf),
    ...loadMistakes(options, nameOf),
    ...fieldMistakes(options, nameOf),
    ...prefixMistakes(options, nameOf),
  ];
}

function rangeMistakes(
  { pow, cache, min_seconds, test_mode }: ComparedOptions,
  nameOf: (path: string) => string,
): string[] {
  const mistakes: string[] = [];
  const floor = nameOf('pow.difficulty');
  if (pow.difficulty < LOWEST_FLOOR_BITS && !test_mode) {
    mistakes.push(
      `${floor} must be ${LOWEST_FLOOR_BITS} or more outside ${nameOf('test_mode')}, not ${pow.difficulty}`,
    );
  }
  if (pow.difficulty > pow.max_difficulty) {
    const ceiling = `${nameOf('pow.max_difficulty')} (${pow.max_difficulty})`;
    mistakes.push(`${floor} must not exceed ${ceiling}, but is ${pow.difficulty}`);
  }
  const names = pow.algorithms.split(',').map((entry) => entry.split('=')[0]);
  const isDouble = new Set(names).size < names.length;
  if (isDouble || !names.includes('sha256')) {
    const rule = isDouble
      ? 'name each algorithm once'
      : 'include sha256, the default for clients that request none';
    mistakes.push(`${nameOf('pow.algorithms')} must ${rule}, not ${JSON.stringify(pow.algorithms)}`);
  }
  if (min_seconds >= cache.expire) {
    const life = `${nameOf('cache.expire')} (${cache.expire})`;
    mistakes.push(`${nameOf('min_seconds')} must be less than ${life}, not ${min_seconds}`);
  }
  return mistakes;
}

function loadMistakes({ load_levels }: ComparedOptions, nameOf: (path: string) => string): string[] {
  const bits = load_levels?.split(',').map(Number) ?? [];
  if (bits.every((added, at) => at === 0 || added > bits[at - 1]!)) return [];
  return [
    `${nameOf('load_levels')} must rise from each level to the next, not ${JSON.stringify(load_levels)}`,
  ];
}

function fieldMistakes(options: ComparedOptions, nameOf: (path: string) => string): string[] {
  const seen = new Map<unknown, string>();
  return FIELDS.flatMap((path) => {
    const name = String(valueAt(options, path.split('.')));
    const twin = seen.get(name);
    seen.set(name, path);
    if (twin !== undefined) return [`${nameOf(path)} must differ from ${nameOf(twin)}: both are "${name}"`];
    // Every object has a constructor, so a missing field of that name would seem present.
    if (!TAKEN_FIELDS.has(name) && !(name in Object.prototype)) return [];
    return [`${nameOf(path)} must not be "${name}", a reserved name`];
  });
}

function prefixMistakes({ routes }: ComparedOptions, nameOf: (path: string) => string): string[] {
  const [first = ''] = routes.prefix.split('/');
  // A gateway may ignore case, as Caddy does.
  if (!TAKEN_SEGMENTS.has(first.toLowerCase())) return [];
  return [`${nameOf('routes.prefix')} must not begin with "${first}", a reserved path`];
}
