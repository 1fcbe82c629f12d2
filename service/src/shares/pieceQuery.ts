import { parse, type SqlQuery } from '../endpoints/definitions/check.ts'
import { exposureOfInsight, exposureOfSql } from '../endpoints/definitions/exposure.ts'
import { checkInsight, type InsightQuery, isInsight } from '../endpoints/insights/insights.ts'
import { breakdownsOf } from '../endpoints/insights/shared.ts'
import { ApiError } from '../lib/apiError.ts'
import type { EndpointVersion, Metadata } from '../storage/metadata/metadata.ts'
import type { Fault, Piece } from './definition.ts'

/** The query of a piece. */
export interface PieceQuery {
  readonly piece: Piece
  readonly query: SqlQuery | InsightQuery
  /** Variables that select rows: those of SQL, or the breakdowns of an insight. */
  readonly names: readonly string[]
  /** Reason why its values must not be shown to others. */
  readonly exposure: string | undefined
  /** Whether runs of it may pass dates. */
  readonly takesDates: boolean
}

/** Dependencies that find and check the queries of pieces. */
export interface FitParts {
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  readonly takesDates: (version: EndpointVersion) => boolean
}

const nameOf = ({ title, id }: Piece) => `Tile "${title || id}"`

/** Returns why a piece cannot be shared. `message`: completes the name of the tile. */
export const fault = (piece: Piece, code: Fault['code'], message: string): Fault => ({
  tile: piece.id,
  code,
  message: `${nameOf(piece)} ${message}`,
})

type Reading = Pick<PieceQuery, 'names' | 'exposure'>

// A version's query never changes, and remains the same object while the version is cached.
const readings = new WeakMap<object, Reading>()

const readQuery = (query: SqlQuery | InsightQuery): Reading => {
  if (isInsight(query)) return { names: breakdownsOf(query).map(({ key }) => key), exposure: exposureOfInsight(query) }
  const parsed = parse(query.query)
  return { names: parsed.variables, exposure: exposureOfSql(parsed.query) }
}

const toPieceQuery = (piece: Piece, query: SqlQuery | InsightQuery, takesDates: boolean): PieceQuery => {
  const reading = readings.get(query) ?? readQuery(query)
  readings.set(query, reading)
  return { piece, query, takesDates, ...reading }
}

/** Returns a query, or why it cannot run: a tile's own was not checked when it was saved. */
const unlessBroken = (piece: Piece, read: () => PieceQuery): PieceQuery | Fault => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return fault(piece, 'wrong_value', `has a query that cannot run: ${error.message}`)
  }
}

/** Returns the query of a piece, or why it has none. */
export const queryOf = async (
  { metadata: { endpoints }, takesDates }: FitParts,
  projectId: number,
  piece: Piece,
): Promise<PieceQuery | Fault> => {
  const { source } = piece
  if ('query' in source) {
    const { query } = source
    if (isInsight(query))
      return unlessBroken(piece, () => {
        checkInsight(query)
        return toPieceQuery(piece, query, true)
      })
    return fault(
      piece,
      'raw_query',
      'has a query of its own. Save the query as an endpoint with the pinned variables, and show that in the tile.',
    )
  }
  const endpoint = await endpoints.get(projectId, source.endpoint)
  const isSame = endpoint && (source.endpointId === undefined || endpoint.id === source.endpointId)
  const version =
    isSame && endpoint.isActive
      ? await endpoints.version(endpoint.id, source.version ?? endpoint.currentVersion)
      : undefined
  if (!version?.isActive)
    return fault(
      piece,
      'missing',
      `shows the endpoint "${source.endpoint}"${source.version === undefined ? '' : `, version ${source.version},`} which was deleted or is not active. Activate it, or leave the tile out.`,
    )
  return unlessBroken(piece, () => toPieceQuery(piece, version.query as SqlQuery | InsightQuery, takesDates(version)))
}
