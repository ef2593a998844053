// What is wrong with the guards that a route names: one that is not understood must not leave the route open.

import { formRulesMistake } from '../../challenges/form-rules.js';
import type { CaptchaOptions } from '../../schemas/captcha-options.js';

const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  captcha: ['name', 'presets'],
  pow: ['name', 'key', 'presets', 'minDifficulty'],
};

/** What is wrong with `config.guards` of a route, as words that follow its place; null when nothing is. */
export function guardMistake(guards: unknown, options: CaptchaOptions): string | null {
  if (!Array.isArray(guards)) return 'must be a list of captcha and pow()';
  const wrong = guards.findIndex((guard) => !isGuard(guard));
  if (wrong >= 0) return `must be a list of captcha and pow(): element ${wrong + 1} is neither`;
  // Only one of them would be judged by, and it might be the one without a key.
  const works = guards.filter(({ name }) => name === 'pow');
  if (works.length > 1) return 'must name pow() once';
  for (const [at, guard] of guards.entries()) {
    const mistake = typeof guard === 'function' ? null : formRulesMistake(guard, options);
    if (mistake !== null) return `${mistake}: element ${at + 1}`;
  }
  if (works.some(({ key, presets }) => presets !== undefined && key === undefined)) {
    return 'must have a key beside the presets of pow(): without one it demands no image';
  }
  const naming = guards.filter((guard) => typeof guard !== 'function' && guard.presets !== undefined);
  return naming.length > 1 ? 'must name presets once' : null;
}

function isGuard(guard: unknown): boolean {
  // `captcha` as it stands is the function that takes presets.
  if (typeof guard === 'function') return guard.name === 'captcha';
  if (typeof guard !== 'object' || guard === null) return false;
  const { name, key } = guard as { name?: unknown; key?: unknown };
  if (typeof name !== 'string' || !Object.hasOwn(PROPERTIES, name)) return false;
  const known = PROPERTIES[name] ?? [];
  if (!Object.keys(guard).every((property) => known.includes(property))) return false;
  return key === undefined || typeof key === 'function';
}
