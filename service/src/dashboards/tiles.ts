import { type Static, Type } from '@sinclair/typebox'

const CLOSED = { additionalProperties: false } as const

/** Number of columns of a dashboard's grid. */
export const COLUMNS = 12
const MAX_ROWS = 1_000
/** Maximum tiles of a dashboard. */
export const MAX_TILES = 50

const VARIABLES = Type.Record(Type.String({ maxLength: 400 }), Type.Unknown(), { maxProperties: 100 })

/** Values of variables by name. */
export const DASHBOARD_VARIABLES = VARIABLES

/** One tile: an endpoint or a query, how its result is shown, and its place in the grid. */
export const TILE = Type.Object(
  {
    /** Unique within the dashboard. */
    id: Type.String({ minLength: 1, maxLength: 100 }),
    /** Name of an endpoint. A tile has either `endpoint` or `query`. */
    endpoint: Type.Optional(Type.String({ minLength: 1, maxLength: 400 })),
    /** A query that is not stored as an endpoint. It is checked when it runs. */
    query: Type.Optional(Type.Object({ kind: Type.String({ maxLength: 100 }) }, { additionalProperties: true })),
    title: Type.String({ maxLength: 400 }),
    display: Type.Unsafe<'number' | 'line' | 'bar' | 'table' | 'funnel' | 'retention'>({
      type: 'string',
      enum: ['number', 'line', 'bar', 'table', 'funnel', 'retention'],
    }),
    /** Column and row of the upper left corner, from 0. */
    x: Type.Integer({ minimum: 0, maximum: COLUMNS - 1 }),
    y: Type.Integer({ minimum: 0, maximum: MAX_ROWS - 1 }),
    /** Width in columns, height in rows. */
    w: Type.Integer({ minimum: 1, maximum: COLUMNS }),
    h: Type.Integer({ minimum: 1, maximum: 100 }),
    /** Values that differ from those of the dashboard. */
    variables: Type.Optional(VARIABLES),
  },
  CLOSED,
)

export type Tile = Static<typeof TILE>
