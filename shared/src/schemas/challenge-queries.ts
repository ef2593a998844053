// The queries of the endpoints that issue challenges.

import { type Static, Type } from '@sinclair/typebox';

/** The ticket in a query. Whatever is no valid one is ignored, so nothing is validated here. */
export const ScopeQuery = Type.Object({
  scope: Type.Optional(
    Type.Unsafe<unknown>({ description: 'Scope ticket of a failed answer (`pow_scope`)' }),
  ),
});
export type ScopeQuery = Static<typeof ScopeQuery>;

/** Query of `GET {prefix}/pow`. */
export const PowQuery = Type.Object({
  ...ScopeQuery.properties,
  min_difficulty: Type.Optional(
    Type.Unsafe<unknown>({
      description:
        'The least bits that the form accepts (`pow_min_difficulty`); ignored unless a whole number',
    }),
  ),
});
export type PowQuery = Static<typeof PowQuery>;

/** Query of `GET {prefix}`. A preset that is not one text counts as absent, so its type is not validated. */
export const ImageQuery = Type.Object({
  preset: Type.Optional(
    Type.Unsafe<unknown>({
      description: 'Name of a preset; `default` when it is empty or given more than once',
    }),
  ),
  ...ScopeQuery.properties,
});
export type ImageQuery = Static<typeof ImageQuery>;
