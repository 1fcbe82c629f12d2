import { Type } from '@sinclair/typebox'
import { CLOSED } from '../../http/request.ts'
import { ANY_OBJECT, oneOf, orNull, TIME } from '../../http/schemas.ts'
import { MAX_TILES } from '../../dashboards/tiles.ts'
import { MAX_PASSWORD, MIN_PASSWORD } from '../password.ts'

const NAME = Type.String({ minLength: 1, maxLength: 400 })
const DISPLAY = oneOf(['number', 'line', 'bar', 'table', 'funnel', 'retention'])
const DAY = Type.String({ minLength: 1, maxLength: 40 })

const VALUE = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()])
const VARIABLES = Type.Record(Type.String({ maxLength: 400 }), Type.Unknown(), { maxProperties: 50 })
const CHOICES = Type.Record(
  Type.String({ maxLength: 400 }),
  Type.Array(VALUE, { minItems: 1, maxItems: 100, uniqueItems: true }),
  { maxProperties: 10 },
)
const DATE_RANGE = Type.Object(
  {
    /** First day shown. */
    from: DAY,
    /** Last day shown. Default: today. */
    to: Type.Optional(DAY),
    /** First day that a reader may choose. */
    min: Type.Optional(DAY),
    /** Last day that a reader may choose. Default: `to`. */
    max: Type.Optional(DAY),
    /** The SQL variables that take the days. Default: date_from and date_to. */
    variables: Type.Optional(Type.Object({ from: NAME, to: NAME }, CLOSED)),
  },
  CLOSED,
)
const VERSION = Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('latest')])

/** Content to share. */
export const INPUT_FIELDS = {
  dashboard: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Id of a dashboard' })),
  endpoint: Type.Optional(NAME),
  version: Type.Optional(VERSION),
  tiles: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: MAX_TILES,
      uniqueItems: true,
      description: 'Ids of tiles of the dashboard. Default: all',
    }),
  ),
  variables: Type.Optional(VARIABLES),
  allowed_values: Type.Optional(CHOICES),
  date_range: Type.Optional(DATE_RANGE),
  display: Type.Optional(DISPLAY),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
}

const PASSWORD = Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD })

const SETTINGS = {
  origins: Type.Optional(Type.Array(NAME, { maxItems: 20, uniqueItems: true })),
  expires_at: Type.Optional(Type.String({ maxLength: 40 })),
  note: Type.Optional(Type.String({ maxLength: 1_000 })),
}

export const CREATE = Type.Object({ ...INPUT_FIELDS, ...SETTINGS, password: Type.Optional(PASSWORD) }, CLOSED)
export const CHANGE = Type.Object({ ...SETTINGS, password: Type.Optional(orNull(PASSWORD)) }, CLOSED)
export const EMPTY = Type.Object({}, CLOSED)

const SHARE_FIELDS = {
  id: Type.String(),
  kind: oneOf(['dashboard', 'endpoint']),
  /** Id of the dashboard. null: an endpoint is shared. */
  dashboard: orNull(Type.String()),
  endpoint: orNull(Type.String()),
  version: VERSION,
  tiles: Type.Array(Type.String()),
  /** Values that readers cannot change. */
  variables: ANY_OBJECT,
  /** Values that readers may choose. */
  allowed_values: CHOICES,
  date_range: orNull(DATE_RANGE),
  display: orNull(DISPLAY),
  title: orNull(Type.String()),
  /** Origins of the pages that may embed it. */
  origins: Type.Array(Type.String()),
  expires_at: TIME,
  has_password: Type.Boolean(),
  note: Type.String(),
  /** The key that the share belongs to. `label` is null if it was revoked. */
  owner: Type.Object({ key_id: Type.String(), label: orNull(Type.String()) }),
  created_at: TIME,
  updated_at: TIME,
  revoked_at: orNull(TIME),
  state: oneOf(['active', 'expired', 'revoked', 'suspended']),
  /** Reason for the suspension, and the remedy. */
  reasons: Type.Array(Type.String()),
}
export const SHARE = Type.Object(SHARE_FIELDS)
export const NEW_SHARE = Type.Object({
  ...SHARE_FIELDS,
  token: Type.String(),
  path: Type.String({ description: 'Path of the page, with the token in its fragment. Shown only once' }),
  embed_path: Type.String({ description: 'Path of the page for frames' }),
})

/** A share for its readers. */
export const READER_VIEW = Type.Object({
  title: Type.String(),
  description: Type.String(),
  tiles: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      display: DISPLAY,
      x: Type.Integer(),
      y: Type.Integer(),
      w: Type.Integer(),
      h: Type.Integer(),
    }),
  ),
  /** Values that readers may choose. The first one is the initial value. */
  variables: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(VALUE) })),
  dates: orNull(
    Type.Object({
      from: Type.String(),
      to: Type.String(),
      min: Type.String(),
      max: Type.String(),
      is_movable: Type.Boolean(),
    }),
  ),
  timezone: Type.String(),
})

/** The result of a tile. */
export const TILE_ANSWER = Type.Object({
  kind: Type.String(),
  columns: Type.Array(Type.String()),
  results: Type.Union([Type.Array(Type.Unknown()), ANY_OBJECT]),
  hasMore: Type.Boolean(),
  last_refresh: TIME,
  timezone: Type.String(),
  days: orNull(Type.Object({ from: Type.String(), to: Type.String() })),
})

/**
 * Preview of a share for a reader, the reasons why it cannot be shared, and the result of a tile if the request names
 * one.
 */
export const PREVIEW = Type.Object({
  share: orNull(READER_VIEW),
  reasons: Type.Array(Type.String()),
  tile: orNull(TILE_ANSWER),
})
