import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const KEY = Type.String({ minLength: 1, maxLength: 400 })
const PERCENTAGE = Type.Number({ minimum: 0, maximum: 100 })

const GROUP_INDEX = Type.Union([Type.Integer({ minimum: 0, maximum: 4 }), Type.Null()])

/** What a person, a group or another flag has to be. `operator`: a row of `OPERATORS`; of a flag: `flag_evaluates_to`. */
export const PROPERTY = Type.Object(
  {
    key: KEY,
    value: Type.Optional(Type.Unknown()),
    operator: Type.Optional(Type.String()),
    type: Type.Unsafe<'person' | 'group' | 'flag'>({ type: 'string', enum: ['person', 'group', 'flag'] }),
    /** For groups: the type of group comes from the flag. */
    group_type_index: Type.Optional(GROUP_INDEX),
  },
  closed,
)

/** Who gets a flag: a share of the people who meet all `properties`. The first condition that is met applies. */
export const CONDITION = Type.Object(
  {
    properties: Type.Optional(Type.Array(PROPERTY, { maxItems: 100 })),
    rollout_percentage: Type.Optional(Type.Union([PERCENTAGE, Type.Null()])),
    /** The variant for people who meet this condition. Absent: by the shares of the variants. */
    variant: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  closed,
)

export const VARIANT = Type.Object(
  { key: KEY, name: Type.Optional(Type.Union([Type.String(), Type.Null()])), rollout_percentage: PERCENTAGE },
  closed,
)

/** The conditions, variants and payloads of a flag, as the API takes them. */
export const FILTERS = Type.Object(
  {
    groups: Type.Array(CONDITION, { maxItems: 100 }),
    multivariate: Type.Optional(
      Type.Union([Type.Object({ variants: Type.Array(VARIANT, { maxItems: 100 }) }, closed), Type.Null()]),
    ),
    /** By variant, or under `true` for a flag without variants. JSON, as a value or as its text. */
    payloads: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** The flag is about groups of this type, not about persons. */
    aggregation_group_type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    /** The same by the type's index, in the order in which the project first used its types. */
    aggregation_group_type_index: Type.Optional(GROUP_INDEX),
  },
  closed,
)

export type Property = Static<typeof PROPERTY>
export type Condition = Static<typeof CONDITION>
export type Filters = Static<typeof FILTERS>

/** What a flag is on for, where nobody says more: everybody. */
export const EVERYBODY: Filters = { groups: [{ properties: [], rollout_percentage: 100 }] }
