// Reads SITES: JSON in the variable itself or in a file, with a line for each mistake.

import { Value } from '@sinclair/typebox/value';
import { ConfigurationError, expectationOf } from '@tollgate/shared/schemas';
import { readJsonText } from '../../src/json-source.js';
import { asciiPattern } from './hostnames.js';
import { repeatedKeys } from './repeated-keys.js';
import { areHostnames, isSiteKey, type Site, SiteOptions } from './site.js';

/** The sites by key, in the order of `SITES`. */
export type Sites = ReadonlyMap<string, Site>;

/**
 * Reads the sites. Returns none if the variable is unset.
 * @param root folder that a relative path starts from
 * @throws ConfigurationError with a line for each mistake. The lines contain no value and no unknown name: an operator may
 * have put a secret in the wrong place
 */
export function readSites(value: string | undefined, root: string): Sites {
  if (value === undefined) return new Map();
  const input = parse(value, root);
  const mistakes: string[] = [];
  const sites = new Map<string, Site>();
  const hashes = new Set<string>();
  for (const [at, [key, options]] of Object.entries(input).entries()) {
    const where = `SITES: site ${at + 1}`;
    const found = siteMistakes(key, options).map((mistake) => `${where}${mistake}`);
    mistakes.push(...found);
    if (found.length > 0) continue;
    const site = siteFrom(key, options as SiteInput);
    if (site.secretHashes.some((hash) => hashes.has(hash)) || hasTwice(site.secretHashes)) {
      mistakes.push(`${where}.secret_sha256 must differ from those of every other secret`);
    }
    for (const hash of site.secretHashes) hashes.add(hash);
    sites.set(key, site);
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return sites;
}

type SiteInput = Partial<Omit<Site, 'key' | 'secretHashes'>> & { secret_sha256: string | readonly string[] };

function parse(value: string, root: string): Record<string, unknown> {
  let text: string;
  try {
    text = readJsonText(value, root);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigurationError([`SITES ${error.message}`]);
  }
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    // The message of the parser would quote the text.
    throw new ConfigurationError(['SITES is not valid JSON']);
  }
  if (!isObject(input)) throw new ConfigurationError(['SITES must be an object of sites by site key']);
  if (Object.keys(input).length === 0) throw new ConfigurationError(['SITES must have at least one site']);
  if (repeatedKeys(text).length > 0) throw new ConfigurationError(['SITES has a duplicate site key']);
  return input;
}

/** Returns the mistakes in one site; each continues its place. */
function siteMistakes(key: string, options: unknown): string[] {
  const name = isSiteKey(key) ? [] : [' must have a key of 1 to 64 letters, digits, _ or -'];
  if (!isObject(options)) return [...name, ' must be an object of options'];
  const { properties } = SiteOptions;
  const isUnknown = Object.keys(options).some((option) => !Object.hasOwn(properties, option));
  const wrong = Object.entries(properties).flatMap(([option, schema]) => {
    const value = Object.hasOwn(options, option) ? options[option] : undefined;
    if (value === undefined && schema.default !== undefined) return [];
    if (value === undefined) return [`.${option} is missing: it must be ${expectationOf(schema)}`];
    const isRight = Value.Check(schema, value) && (option !== 'hostnames' || areHostnames(value as string[]));
    return isRight ? [] : [`.${option} must be ${expectationOf(schema)}`];
  });
  return [...name, ...(isUnknown ? [' has an option that does not exist'] : []), ...wrong];
}

function siteFrom(key: string, { secret_sha256: secrets, ...options }: SiteInput): Site {
  const complete = Value.Default(SiteOptions, { ...options }) as Omit<Site, 'key' | 'secretHashes'>;
  const secretHashes = [secrets].flat().map((hash) => hash.toLowerCase());
  // The frame's policy holds them, and headers take no other letters.
  const hostnames = complete.hostnames.map((name) => asciiPattern(name) ?? name);
  return Object.freeze({ ...complete, hostnames, key, secretHashes });
}

function hasTwice(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
