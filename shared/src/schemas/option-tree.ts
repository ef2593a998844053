// Reads nested options as a list of paths.

import { KindGuard, type TObject, type TSchema } from '@sinclair/typebox';

/** One option: its path and its schema. */
interface OptionLeaf {
  readonly path: readonly string[];
  readonly schema: TSchema;
}

/** Returns the single options of a schema in its order. */
export function leavesOf(schema: TObject, path: readonly string[] = []): OptionLeaf[] {
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    KindGuard.IsObject(inner) ? leavesOf(inner, [...path, name]) : [{ path: [...path, name], schema: inner }],
  );
}

/** Returns the value at a path, or undefined. */
export function valueAt(options: unknown, path: readonly string[]): unknown {
  let value = options;
  for (const name of path) {
    if (!isGroup(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Builds deeply frozen options from a value per leaf; a leaf without a value or default is omitted. */
export function optionsFrom(schema: TObject, valueFor: (leaf: OptionLeaf) => unknown): unknown {
  const build = (at: TObject, path: readonly string[]): unknown =>
    Object.freeze(
      Object.fromEntries(
        Object.entries(at.properties).flatMap(([name, inner]) => {
          const here = [...path, name];
          const value = KindGuard.IsObject(inner)
            ? build(inner, here)
            : withoutOuterSlashes(inner, valueFor({ path: here, schema: inner }) ?? inner.default);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    );
  return build(schema, []);
}

/** Returns a line for each unknown option, and for each group that is not an object. */
export function strangersIn(options: unknown, schema: TObject, path: readonly string[] = []): string[] {
  if (!isGroup(options)) return [`${path.join('.') || 'the options'} must be a group of options`];
  return Object.entries(options).flatMap(([name, value]) => {
    const here = [...path, name];
    const inner = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (inner === undefined) return [`${here.join('.')}: unknown option`];
    return KindGuard.IsObject(inner) && value !== undefined ? strangersIn(value, inner, here) : [];
  });
}

/** A path may be written with or without surrounding slashes; `outerSlashes: false` removes them. */
function withoutOuterSlashes({ outerSlashes }: TSchema, value: unknown): unknown {
  return outerSlashes === false && typeof value === 'string' ? value.replace(/^\/+|\/+$/g, '') : value;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
