import { bindVariables } from '../endpoints/variables/bind.ts'
import { parse, type SqlQuery } from '../endpoints/definitions/check.ts'
import { type InsightQuery, isInsight, planInsight } from '../endpoints/insights/insights.ts'
import { breakdownsOf } from '../endpoints/insights/shared.ts'
import type { Zone } from '../endpoints/insights/zone.ts'
import { dayNames, type Days } from '../endpoints/tokens/days.ts'
import { ApiError } from '../lib/apiError.ts'
import { own } from '../lib/own.ts'
import type { EndpointVersion, Metadata, Variable } from '../storage/metadata/metadata.ts'
import { exposureOfInsight, exposureOfSql } from './exposure.ts'
import type { Fault, Piece, ShareDefinition } from './definition.ts'

type Values = Readonly<Record<string, unknown>>

/** What a reader has chosen, within what the share allows. */
export interface Chosen {
  readonly values: Values
  readonly days: Days | undefined
}

/** The query of a piece. */
export interface PieceQuery {
  readonly piece: Piece
  readonly query: SqlQuery | InsightQuery
  /** Whether runs of it may pass dates. */
  readonly takesDates: boolean
}

/** What checks that pieces fit a share. */
export interface FitParts {
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  readonly takesDates: (version: EndpointVersion) => boolean
}

/** The project of a share, at a time. */
export interface Moment {
  readonly projectId: number
  readonly zone: Zone
  readonly now: number
}

const nameOf = ({ title, id }: Piece) => `Tile "${title || id}"`

const fault = (piece: Piece, code: Fault['code'], message: string): Fault => ({
  tile: piece.id,
  code,
  message: `${nameOf(piece)} ${message}`,
})

/** Returns the query of a piece, or why it has none. */
export const queryOf = async (
  { metadata: { endpoints }, takesDates }: FitParts,
  { projectId }: Pick<Moment, 'projectId'>,
  piece: Piece,
): Promise<PieceQuery | Fault> => {
  const { source } = piece
  if ('query' in source) {
    if (isInsight(source.query)) return { piece, query: source.query, takesDates: true }
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
  return { piece, query: version.query as SqlQuery | InsightQuery, takesDates: takesDates(version) }
}

const variablesOfSql = ({ query }: SqlQuery) => parse(query).variables

/** Returns the names of the variables that select rows of a piece, except dates. */
const selectors = ({ query }: PieceQuery): readonly string[] =>
  isInsight(query) ? breakdownsOf(query).map(({ key }) => key) : variablesOfSql(query)

/** Returns the first value that each name has in the tables. */
const pick = (names: readonly string[], tables: readonly Values[]): Values =>
  Object.fromEntries(
    names.flatMap((name) => {
      const table = tables.find((each) => own(each, name) !== undefined)
      return table ? [[name, own(table, name)]] : []
    }),
  )

/** Returns the values of one run of a piece. Pins come before everything else. */
export const valuesOf = (
  { piece, query, takesDates }: PieceQuery,
  { pins, dates }: Pick<ShareDefinition, 'pins' | 'dates'>,
  { values, days }: Chosen,
): Values => {
  const set: Values = { ...values, ...pins }
  const names = dayNames(isInsight(query) ? {} : (dates ?? {}))
  const ofDays: Values = days ? { [names.from]: days.from, [names.to]: days.to } : {}
  if (!isInsight(query)) return pick(variablesOfSql(query), [ofDays, set, piece.fixed])
  const selected = pick(selectors({ piece, query, takesDates }), [set, piece.ofTile])
  if (!takesDates) return selected
  return { ...(days ? ofDays : pick(['date_from', 'date_to'], [piece.fixed])), ...selected }
}

const notPinned = ({ piece, query }: PieceQuery, name: string): Fault =>
  fault(
    piece,
    'not_pinned',
    isInsight(query)
      ? `does not use the pinned variable "${name}", so it would show all of its values. Break the insight down by "${name}", or leave the tile out of the share.`
      : `does not use the pinned variable "${name}", so it would show all of its values. Add {variables.${name}} to its query, or leave the tile out of the share.`,
  )

const faultsOfDates = (of: PieceQuery, { dates }: ShareDefinition): readonly Fault[] => {
  if (!dates) return []
  const { piece, query, takesDates } = of
  if (isInsight(query))
    return takesDates
      ? []
      : [fault(piece, 'no_dates', 'takes no dates, because its endpoint is materialized without "date_variables".')]
  const needed = variablesOfSql(query)
  const missing = Object.values(dayNames(dates)).filter((name) => !needed.includes(name))
  return missing.map((name) =>
    fault(
      piece,
      'no_dates',
      `does not use the date variable "${name}". Add {variables.${name}} to its query, name other date variables, or leave the tile out of the share.`,
    ),
  )
}

/** Returns why the values of a run are not accepted. */
const faultsOfRun = (
  of: PieceQuery,
  values: Values,
  definitions: readonly Variable[],
  { projectId, zone, now }: Moment,
): readonly Fault[] => {
  const { piece, query, takesDates } = of
  try {
    if (isInsight(query)) planInsight(query, { projectId, variables: values, zone, now, takesDates })
    else {
      const needed = variablesOfSql(query)
      const missing = needed.filter((name) => !Object.hasOwn(values, name))
      if (missing.length)
        return missing.map((name) =>
          fault(piece, 'no_value', `has no value for "${name}". Pin it, or let readers choose it.`),
        )
      bindVariables(
        definitions.filter(({ codeName }) => needed.includes(codeName)),
        values,
      )
    }
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [fault(piece, 'wrong_value', `does not accept the values of the share: ${error.message}`)]
  }
}

/** Returns the initial values of the choices, and each other value by itself. */
const samplesOf = ({ choices }: ShareDefinition, isThorough: boolean): readonly Values[] => {
  const initial = Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first]))
  if (!isThorough) return [initial]
  return [
    initial,
    ...Object.entries(choices).flatMap(([name, values]) =>
      values.slice(1).map((value) => ({ ...initial, [name]: value })),
    ),
  ]
}

/** Returns why a piece cannot be part of a share. `isThorough`: whether all values of the choices are tried. */
export const faultsOf = async (
  parts: FitParts,
  definition: ShareDefinition,
  of: PieceQuery,
  { days, moment, isThorough }: { days: Days | undefined; moment: Moment; isThorough: boolean },
): Promise<readonly Fault[]> => {
  const { piece, query } = of
  const taken = selectors(of)
  const unpinned = Object.keys(definition.pins).filter((name) => !taken.includes(name))
  const exposure = isInsight(query) ? exposureOfInsight(query) : exposureOfSql(parse(query.query).query)
  const faults = [
    ...unpinned.map((name) => notPinned(of, name)),
    ...faultsOfDates(of, definition),
    ...(exposure ? [fault(piece, 'personal', exposure)] : []),
  ]
  if (faults.length) return faults
  const definitions = isInsight(query) ? [] : await parts.metadata.variables.list(moment.projectId)
  const runs = samplesOf(definition, isThorough).map((values) =>
    faultsOfRun(of, valuesOf(of, definition, { values, days }), definitions, moment),
  )
  return runs.find((found) => found.length) ?? []
}
