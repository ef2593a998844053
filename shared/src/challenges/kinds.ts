// The kinds of challenge that judge their answers themselves, by name.

import { effortKind } from './effort-kind.js';
import type { JudgedKind } from './judged-kind.js';

/** The built-in kinds and those of a host, by name. A host cannot replace a built-in one. */
export function judgedKinds(own: readonly JudgedKind[] = []): ReadonlyMap<string, JudgedKind> {
  return new Map([...own, effortKind].map((kind) => [kind.name, kind]));
}
