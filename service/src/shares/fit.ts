import { bindVariables } from '../endpoints/variables/bind.ts'
import { isInsight, planInsight } from '../endpoints/insights/insights.ts'
import type { Zone } from '../endpoints/insights/zone.ts'
import { dayNames, type Days } from '../endpoints/tokens/days.ts'
import { ApiError } from '../lib/apiError.ts'
import { own } from '../lib/own.ts'
import type { Variable } from '../storage/metadata/metadata.ts'
import type { Fault, ShareDefinition } from './definition.ts'
import { fault, type FitParts, type PieceQuery } from './pieceQuery.ts'

type Values = Readonly<Record<string, unknown>>

/** Choices of a reader, within the limits of the share. */
export interface Chosen {
  readonly values: Values
  readonly days: Days | undefined
}

/** Project of a share, and the current time. */
export interface Moment {
  readonly projectId: number
  readonly zone: Zone
  readonly now: number
}

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
  { piece, query, names: selectors, takesDates }: PieceQuery,
  { pins, dates }: Pick<ShareDefinition, 'pins' | 'dates'>,
  { values, days }: Chosen,
): Values => {
  const set: Values = { ...values, ...pins }
  const names = dayNames(isInsight(query) ? {} : (dates ?? {}))
  const ofDays: Values = days ? { [names.from]: days.from, [names.to]: days.to } : {}
  if (!isInsight(query)) return pick(selectors, [ofDays, set, piece.fixed])
  const selected = pick(selectors, [set, piece.ofTile])
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
  const { piece, query, names, takesDates } = of
  if (isInsight(query))
    return takesDates
      ? []
      : [fault(piece, 'no_dates', 'takes no dates, because its endpoint is materialized without "date_variables".')]
  const missing = Object.values(dayNames(dates)).filter((name) => !names.includes(name))
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
  const { piece, query, names, takesDates } = of
  try {
    if (isInsight(query)) planInsight(query, { projectId, variables: values, zone, now, takesDates })
    else {
      const missing = names.filter((name) => !Object.hasOwn(values, name))
      if (missing.length)
        return missing.map((name) =>
          fault(piece, 'no_value', `has no value for "${name}". Pin it, or let readers choose it.`),
        )
      bindVariables(
        definitions.filter(({ codeName }) => names.includes(codeName)),
        values,
      )
    }
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [fault(piece, 'wrong_value', `does not accept the values of the share: ${error.message}`)]
  }
}

/** Returns the initial values of the choices, and for SQL, whose variables have types, each other value by itself. */
const samplesOf = (
  { query, names }: PieceQuery,
  { choices }: ShareDefinition,
  isThorough: boolean,
): readonly Values[] => {
  const initial = Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first]))
  const others = isThorough && !isInsight(query) ? names.filter((name) => Object.hasOwn(choices, name)) : []
  return [
    initial,
    ...others.flatMap((name) =>
      own(choices, name)!
        .slice(1)
        .map((value) => ({ ...initial, [name]: value })),
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
  const { piece, query, names, exposure } = of
  const unpinned = Object.keys(definition.pins).filter((name) => !names.includes(name))
  const faults = [
    ...unpinned.map((name) => notPinned(of, name)),
    ...faultsOfDates(of, definition),
    ...(exposure ? [fault(piece, 'personal', exposure)] : []),
  ]
  if (faults.length) return faults
  const definitions = isInsight(query) ? [] : await parts.metadata.variables.list(moment.projectId)
  const runs = samplesOf(of, definition, isThorough).map((values) =>
    faultsOfRun(of, valuesOf(of, definition, { values, days }), definitions, moment),
  )
  return runs.find((found) => found.length) ?? []
}
