import { type Static, Type } from '@sinclair/typebox'
import type { Flag } from '../flags/evaluate.ts'

/** The flags of a project, without the people that their conditions match. */
export const TOOLBAR_FLAGS = Type.Object({
  results: Type.Array(
    Type.Object({
      key: Type.String(),
      name: Type.String(),
      active: Type.Boolean(),
      variants: Type.Array(Type.Object({ key: Type.String(), name: Type.Union([Type.String(), Type.Null()]) })),
      payloads: Type.Record(Type.String(), Type.Unknown(), {
        description: 'JSON as a value or as a string, by variant, or under "true" for a flag without variants',
      }),
    }),
  ),
})
export type ToolbarFlags = Static<typeof TOOLBAR_FLAGS>

/** Returns what the toolbar shows of the flags: no conditions, because they may name people. */
export const toToolbarFlags = (flags: Iterable<Flag>): ToolbarFlags => ({
  results: [...flags].map(({ key, name, isActive, filters: { multivariate, payloads } }) => ({
    key,
    name,
    active: isActive,
    variants: (multivariate?.variants ?? []).map(({ key, name }) => ({ key, name: name ?? null })),
    payloads: { ...payloads },
  })),
})
