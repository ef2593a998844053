// The options of the gate: schema, defaults and mistakes.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value, type ValueError } from '@sinclair/typebox/value';
import { parseAddressRange } from '@tollgate/shared/config';
import { expectationOf, NAME_PATTERN } from '@tollgate/shared/schemas';
import { isWrongPattern, requestedPath } from './requested-address.js';

const MOST_RULES = 200;
const MOST_RANGES = 2000;

const Path = Type.String({
  pattern: '^/[!-~]{0,511}$',
  description: 'A path; `*` matches any characters',
  expected: 'a path such as /feed.xml or /assets/*, in printable ASCII',
});
const Paths = Type.Array(Path, { minItems: 1, maxItems: MOST_RULES, expected: 'a list of paths' });
const Ranges = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: MOST_RANGES,
  expected: 'a list of addresses and ranges such as 203.0.113.0/24',
});
const Method = Type.String({ pattern: '^[A-Z]{1,20}$', expected: 'a method such as GET' });
const Host = Type.String({
  pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$',
  maxLength: 253,
  expected: 'a domain such as googlebot.com, in lower case',
});

/** The prefix length in a pass; with 0, the pass is not bound to addresses of this family. */
function prefixBits(bits: number, least: number, most: number) {
  return Type.Union([Type.Literal(0), Type.Integer({ minimum: least, maximum: most })], {
    default: bits,
    expected: `a whole number from ${least} to ${most}, or 0`,
  });
}

const strict = { additionalProperties: false } as const;

/** The action for requests that match all its conditions; a rule without conditions matches all. */
export const GateRule = Type.Object(
  {
    action: Type.Union([Type.Literal('pass'), Type.Literal('check'), Type.Literal('refuse')]),
    sites: Type.Optional(Type.Array(Type.String(), { minItems: 1, expected: 'a list of some of the sites' })),
    paths: Type.Optional(Paths),
    methods: Type.Optional(Type.Array(Method, { minItems: 1, expected: 'a list of methods' })),
    addresses: Type.Optional(Ranges),
  },
  strict,
);
export type GateRule = Static<typeof GateRule>;

/** A robot that needs no pass, identified by its address or its address's verified name. */
export const GateRobot = Type.Object(
  {
    name: Type.String({ pattern: NAME_PATTERN, expected: 'a name of 1 to 32 letters, digits, _ or -' }),
    agent: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 64,
        expected: 'a part of its User-Agent, of 2 to 64 characters',
      }),
    ),
    hosts: Type.Optional(Type.Array(Host, { minItems: 1, maxItems: 20, expected: 'a list of domains' })),
    addresses: Type.Optional(Ranges),
  },
  strict,
);
export type GateRobot = Static<typeof GateRobot>;

/** All options of the gate. */
export const GateOptions = Type.Object(
  {
    sites: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 1000,
      expected: 'a list of origins such as https://www.example.com',
    }),
    image: Type.Boolean({ default: false }),
    pass: Type.Object(
      {
        seconds: Type.Integer({ default: 3600, minimum: 60, maximum: 30 * 86_400 }),
        ipv4: prefixBits(24, 8, 32),
        ipv6: prefixBits(48, 32, 64),
      },
      { ...strict, default: {} },
    ),
    rules: Type.Array(GateRule, { default: [], maxItems: MOST_RULES }),
    well_known: Type.Boolean({ default: true }),
    feeds: Type.Array(Path, { default: [], maxItems: MOST_RULES }),
    robots: Type.Array(GateRobot, { default: [], maxItems: 100 }),
    rest: Type.Union([Type.Literal('check'), Type.Literal('pass')], { default: 'check' }),
  },
  strict,
);
export type GateOptions = Static<typeof GateOptions>;

/** The complete options, or a line for each mistake, which begins with the option's path. */
type ResolvedGate =
  | { readonly options: GateOptions; readonly mistakes?: undefined }
  | { readonly options?: undefined; readonly mistakes: readonly string[] };

/** Completes the options with their defaults. @param given parsed JSON */
export function resolveGateOptions(given: unknown): ResolvedGate {
  const options = Value.Default(GateOptions, Value.Clone(given));
  // For a missing value the schema reports that it is missing, and then that it is wrong.
  const errors = new Map(
    [...Value.Errors(GateOptions, options)].reverse().map((error) => [error.path, error]),
  );
  const single = [...errors.values()].reverse().map(lineOf);
  // Comparing values of the wrong type would report too much.
  const mistakes = single.length > 0 ? single : mistakesIn(options as GateOptions);
  return mistakes.length > 0 ? { mistakes } : { options: options as GateOptions };
}

function lineOf({ path, schema, message }: ValueError): string {
  const place = placeOf(path);
  if (message === 'Unexpected property') return `${place}: unknown option`;
  if (message === 'Expected required property') return `${place} is missing`;
  return `${place} must be ${expectedOf(schema)}`;
}

function expectedOf(schema: TSchema): string {
  if (schema.expected === undefined && schema.type === 'object') return 'an object';
  if (schema.expected === undefined && schema.type === 'array') return 'a list';
  return expectationOf(schema);
}

/** Writes `/rules/0/action` as `rules[0].action`. */
function placeOf(path: string): string {
  const place = path.replace(/\/(\d+)(?=\/|$)/g, '[$1]').replaceAll('/', '.');
  return place.replace(/^\./, '') || 'the value';
}

function mistakesIn({ sites, rules, feeds, robots }: GateOptions): string[] {
  const mistakes = sites.flatMap((site, at) => {
    if (!isOrigin(site)) return [`sites[${at}] must be an origin such as https://www.example.com`];
    return sites.some((other, before) => before < at && isOrigin(other) && hostOf(other) === hostOf(site))
      ? [`sites[${at}] must not repeat the host of another site`]
      : [];
  });
  for (const [at, rule] of rules.entries()) {
    for (const site of rule.sites ?? []) {
      if (!sites.includes(site)) mistakes.push(`rules[${at}].sites must name some of the sites`);
    }
    mistakes.push(...wrongPaths(`rules[${at}].paths`, rule.paths, rule.action === 'pass'));
    mistakes.push(...wrongRanges(`rules[${at}].addresses`, rule.addresses));
  }
  mistakes.push(...wrongPaths('feeds', feeds, true));
  const names = new Set<string>();
  for (const [at, { name, agent, hosts, addresses }] of robots.entries()) {
    if (names.has(name)) mistakes.push(`robots[${at}].name must not repeat that of another robot`);
    names.add(name);
    if (hosts === undefined && addresses === undefined) {
      mistakes.push(`robots[${at}] must have hosts or addresses: anybody can send the User-Agent of a robot`);
    }
    if (hosts !== undefined && agent === undefined) {
      mistakes.push(`robots[${at}].agent is missing: without it each visitor's address would be looked up`);
    }
    mistakes.push(...wrongRanges(`robots[${at}].addresses`, addresses));
  }
  return mistakes;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const hostOf = (site: string) => site.replace(/^https?:\/\//, '');

/** @param opens whether the paths need no pass: then an ambiguous one would never match */
function wrongPaths(place: string, paths: readonly string[] = [], opens: boolean): string[] {
  return paths.flatMap((path, at) => {
    if (isWrongPattern(path)) {
      return [`${place}[${at}] must be a path without ?, # and %2A, percent-encoded as UTF-8`];
    }
    return opens && requestedPath(path).isAmbiguous
      ? [`${place}[${at}] would never match: no ambiguous path such as /a//b or /a;b passes by its spelling`]
      : [];
  });
}

function wrongRanges(place: string, ranges: readonly string[] = []): string[] {
  const wrong = ranges.filter(isWrongRange);
  return wrong.map(
    (range) => `${place} must hold addresses and ranges, not ${JSON.stringify(range.slice(0, 60))}`,
  );
}

/** A range of all addresses is a mistake too: a rule without addresses means the same. */
function isWrongRange(text: string): boolean {
  return (parseAddressRange(text)?.prefix ?? 0) === 0;
}
