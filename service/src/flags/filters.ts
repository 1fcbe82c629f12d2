import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const KEY = Type.String({ minLength: 1, maxLength: 400 })
const PERCENTAGE = Type.Number({ minimum: 0, maximum: 100 })

const GROUP_INDEX = Type.Union([Type.Integer({ minimum: 0, maximum: 4 }), Type.Null()])

/**
 * A condition on a property of a person or group, or on another flag. `operator`: a key of `OPERATORS`, or
 * `flag_evaluates_to` for a flag.
 */
export const PROPERTY = Type.Object(
  {
    key: KEY,
    value: Type.Optional(Type.Unknown()),
    operator: Type.Optional(Type.String()),
    type: Type.Unsafe<'person' | 'group' | 'flag'>({ type: 'string', enum: ['person', 'group', 'flag'] }),
    /** For groups, the flag determines the group type. */
    group_type_index: Type.Optional(GROUP_INDEX),
  },
  closed,
)

/** Gives a flag to a percentage of the people who meet all `properties`. The first matching condition applies. */
export const CONDITION = Type.Object(
  {
    properties: Type.Optional(Type.Array(PROPERTY, { maxItems: 100 })),
    rollout_percentage: Type.Optional(Type.Union([PERCENTAGE, Type.Null()])),
    /** Variant for people who meet this condition. Absent: chosen by the variants' rollout percentages. */
    variant: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  closed,
)

export const VARIANT = Type.Object(
  { key: KEY, name: Type.Optional(Type.Union([Type.String(), Type.Null()])), rollout_percentage: PERCENTAGE },
  closed,
)

/** Conditions, variants and payloads of a flag, as the API accepts them. */
export const FILTERS = Type.Object(
  {
    groups: Type.Array(CONDITION, { maxItems: 100 }),
    multivariate: Type.Optional(
      Type.Union([Type.Object({ variants: Type.Array(VARIANT, { maxItems: 100 }) }, closed), Type.Null()]),
    ),
    /** Payloads by variant, or under `true` for a flag without variants. JSON, as a value or as a string. */
    payloads: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** Group type that the flag is evaluated for. Absent: persons. */
    aggregation_group_type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    /** The same group type, as its index in the order in which the project first used its types. */
    aggregation_group_type_index: Type.Optional(GROUP_INDEX),
  },
  closed,
)

export type Property = Static<typeof PROPERTY>
export type Condition = Static<typeof CONDITION>
export type Filters = Static<typeof FILTERS>

/** Default filters of a flag: on for everyone. */
export const EVERYBODY: Filters = { groups: [{ properties: [], rollout_percentage: 100 }] }
