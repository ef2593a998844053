// The presets by name: the one that ships, and the operator's own, each completed from it group by group.

import {
  type ChallengeType,
  isVerifiedType,
  TEXT,
} from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import { EFFORT } from '@tollgate/shared/challenges/types/effort-type.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { NAME_PATTERN } from '@tollgate/shared/schemas/names.js';
import { optionsFrom, valueAt } from '@tollgate/shared/schemas/option-tree.js';
import { defaultPreset, ImagePreset } from '../image/preset.js';
import { presetFingerprint } from '../image/preset-mark.js';
import { readabilityMistake } from '../image/preset-readability.js';
import { sampleMistake } from './kind-samples.js';
import { presetMistakes } from './preset-mistakes.js';

/** The preset of a request that names none. */
export const DEFAULT_PRESET = 'default';

/** A preset as challenges are issued and drawn with it. */
export interface NamedPreset {
  readonly name: string;
  /** What a record remembers it by. */
  readonly mark: string;
  readonly preset: ImagePreset;
  /** The operator's kind; null for the characters of an image. */
  readonly kind: ChallengeType | null;
}

/** By name. A map, so that a name from outside never meets the prototype of an object. */
export type Presets = ReadonlyMap<string, NamedPreset>;

/** Presets as somebody wrote them: an object, by name. */
export interface PresetSource {
  /** What mistakes begin with, such as the name of a variable. */
  readonly name: string;
  readonly presets: unknown;
}

/** What presets are made from. */
export interface PresetDependencies {
  readonly options: CaptchaOptions;
  readonly sources?: readonly PresetSource[];
  readonly kinds?: readonly ChallengeType[];
  /** Whether a renderer of the host's own draws, which may know other characters than the bundled ones. */
  readonly ownRenderer?: boolean;
}

const NAME = new RegExp(NAME_PATTERN);

/** The preset of this name; an empty name is the default's. */
export function findPreset(presets: Presets, name: string): NamedPreset | undefined {
  return presets.get(name === '' ? DEFAULT_PRESET : name);
}

/** The presets, and what is wrong with them, a line each; with mistakes the presets are of no use. */
export function resolvePresets(deps: PresetDependencies): { presets: Presets; mistakes: string[] } {
  const { options, sources = [], ownRenderer = false } = deps;
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
    const known = { name, mark: presetFingerprint(name, kindName, preset), preset, kind };
    const mistake = sampleMistake(known, options, ownRenderer);
    if (mistake !== null) mistakes.push(`${where}: ${mistake}`);
    // A renderer of the host's own, and a kind with texts of its own, know best what they draw.
    const unreadable = ownRenderer || kind !== null ? null : readabilityMistake(preset);
    if (unreadable !== null) mistakes.push(where.replace(/\.kind$/, '') + unreadable);
    presets.set(name, known);
  };

  const written = sources.flatMap(({ name: source, presets: given }) => {
    if (isObject(given)) return Object.entries(given).map(([name, input]) => ({ source, name, input }));
    mistakes.push(`${source} must be an object of presets by name`);
    return [];
  });
  const isDefault = ({ name }: { name: string }) => name === DEFAULT_PRESET;
  // All others take from `default` what they do not name, so the operator's own is completed first.
  if (!written.some(isDefault)) add(DEFAULT_PRESET, {}, options.phrase.type, 'CAPTCHA_PHRASE_TYPE');
  for (const list of [written.filter(isDefault), written.filter((entry) => !isDefault(entry))]) {
    for (const { source, name, input } of list) {
      const wrong = nameMistake(name, presets) ?? (isObject(input) ? null : 'must be an object');
      const found = wrong === null ? presetMistakes(input, ownRenderer) : [` ${wrong}`];
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

/** @param width of a kind of the operator's own, where the preset itself says nothing */
function complete(input: unknown, base: ImagePreset, width: number | undefined): ImagePreset {
  const given = width === undefined ? base : { ...base, picture: { ...base.picture, width } };
  return optionsFrom(ImagePreset, ({ path }) => valueAt(input, path) ?? valueAt(given, path)) as ImagePreset;
}

function nameMistake(name: string, presets: Presets): string | null {
  if (!NAME.test(name)) return 'must have a name of 1 to 32 letters, digits, _ or -, a letter first';
  if (name === EFFORT) return 'must not have the name of effort, which is no image';
  return presets.has(name) ? 'is there twice' : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
