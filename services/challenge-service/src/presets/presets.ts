// The presets by name: the built-in default and the operator's, each completed with inherited options.

import { type ChallengeType, EFFORT, isVerifiedType, TEXT } from '@tollgate/shared/challenges';
import { type CaptchaOptions, NAME_PATTERN, optionsFrom, valueAt } from '@tollgate/shared/schemas';
import { sampleMistake } from './challenge-type-samples.js';
import { defaultPreset, ImagePreset } from './preset.js';
import { presetFingerprint } from './preset-fingerprint.js';
import { presetMistakes } from './preset-mistakes.js';
import { readabilityMistake } from './preset-readability.js';

/** The preset for a request without a name. */
const DEFAULT_PRESET = 'default';

/** A complete preset, ready to issue and draw challenges. */
export interface NamedPreset {
  readonly name: string;
  /** Identifies it in records. */
  readonly fingerprint: string;
  readonly preset: ImagePreset;
  /** The operator's challenge type; null for the characters of an image. */
  readonly kind: ChallengeType | null;
}

/** Presets by name. A map, so that a name from a request never reaches the prototype of an object. */
export type Presets = ReadonlyMap<string, NamedPreset>;

/** The operator's presets, not yet validated. */
export interface PresetSource {
  /** Begins each mistake, such as the name of a variable. */
  readonly name: string;
  /** Expected to be an object of presets by name. */
  readonly presets: unknown;
}

export interface PresetDependencies {
  readonly options: CaptchaOptions;
  readonly sources?: readonly PresetSource[];
  readonly kinds?: readonly ChallengeType[];
  /** Whether the operator's renderer draws, which may support characters beyond the bundled ones. */
  readonly hasCustomRenderer?: boolean;
}

const NAME = new RegExp(NAME_PATTERN);

/** Returns the preset of this name; an empty name is the default. */
export function findPreset(presets: Presets, name: string): NamedPreset | undefined {
  return presets.get(name === '' ? DEFAULT_PRESET : name);
}

/** Completes and validates all presets. If there are mistakes, a line each, the presets are not usable. */
export function resolvePresets(deps: PresetDependencies): { presets: Presets; mistakes: string[] } {
  const { options, sources = [], hasCustomRenderer = false } = deps;
  const own = (deps.kinds ?? []).filter((kind) => !isVerifiedType(kind) || kind.issue !== undefined);
  const kinds = new Map<string, ChallengeType | null>([[TEXT, null]]);
  for (const kind of own) kinds.set(kind.name, kind);
  const presets = new Map<string, NamedPreset>();
  const mistakes: string[] = [];

  let defaultKind = options.phrase.type;
  let base: ImagePreset = defaultPreset;
  const add = (name: string, input: unknown, kindName: string, where: string) => {
    const kind = kinds.get(kindName);
    if (kind === undefined) {
      mistakes.push(
        `${where} must be one of ${[...kinds.keys()].join(', ')}, not ${JSON.stringify(kindName)}`,
      );
      return;
    }
    const preset = complete(input, base, kind === null ? undefined : options.phrase.width);
    const known = { name, fingerprint: presetFingerprint(name, kindName, preset), preset, kind };
    const mistake = sampleMistake(known, options, hasCustomRenderer);
    if (mistake !== null) mistakes.push(`${where}: ${mistake}`);
    // Readability is estimated only for built-in drawing: a custom renderer or challenge type may draw anything.
    const unreadable = hasCustomRenderer || kind !== null ? null : readabilityMistake(preset);
    if (unreadable !== null) mistakes.push(where.replace(/\.kind$/, '') + unreadable);
    presets.set(name, known);
  };

  const written = sources.flatMap(({ name: source, presets: given }) => {
    if (isObject(given)) return Object.entries(given).map(([name, input]) => ({ source, name, input }));
    mistakes.push(`${source} must be an object of presets by name`);
    return [];
  });
  const isDefault = ({ name }: { name: string }) => name === DEFAULT_PRESET;
  // All other presets inherit from `default`, so the operator's default is completed first.
  if (!written.some(isDefault)) add(DEFAULT_PRESET, {}, options.phrase.type, 'CAPTCHA_PHRASE_TYPE');
  for (const list of [written.filter(isDefault), written.filter((entry) => !isDefault(entry))]) {
    for (const { source, name, input } of list) {
      const wrong = nameMistake(name, presets) ?? (isObject(input) ? null : 'must be an object');
      const found = wrong === null ? presetMistakes(input, hasCustomRenderer) : [` ${wrong}`];
      mistakes.push(
        ...found.map((mistake) => `${source} ${NAME.test(name) ? name : JSON.stringify(name)}${mistake}`),
      );
      if (found.length > 0) continue;
      const { kind = defaultKind } = input as { kind?: string };
      add(name, input, kind, `${source} ${name}.kind`);
      if (name === DEFAULT_PRESET) {
        defaultKind = kind;
        base = presets.get(name)?.preset ?? base;
      }
    }
  }
  return { presets, mistakes };
}

/** @param width the default width for a challenge type of the operator */
function complete(input: unknown, base: ImagePreset, width: number | undefined): ImagePreset {
  const given = width === undefined ? base : { ...base, picture: { ...base.picture, width } };
  return optionsFrom(ImagePreset, ({ path }) => valueAt(input, path) ?? valueAt(given, path)) as ImagePreset;
}

function nameMistake(name: string, presets: Presets): string | null {
  if (!NAME.test(name)) return 'must have a name of 1 to 32 letters, digits, _ or -, starting with a letter';
  if (name === EFFORT) return 'must not be named effort, which has no image';
  return presets.has(name) ? 'exists twice' : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
