import { inSlices } from '../lib/largeJson.ts'
import { queryInParts } from '../lib/parts.ts'
import type { Steps } from '../lib/timeSlices.ts'
import { cutText, isWithin } from '../lib/cutJson.ts'
import { MAX_VALUE_BYTES } from './bounds.ts'
import type { Owners } from './owners.ts'
import type { QueryRows } from './queryRows.ts'

/** A person as the API returns it. */
export interface PersonView {
  /** `person.id` in queries. */
  readonly id: string
  readonly distinct_ids: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
  readonly is_identified: boolean
  readonly created_at: string
  /** Whether values are shortened, or properties or ids left out. */
  readonly is_truncated: boolean
}

/** Bounds of what is read of persons. */
export interface PersonBounds {
  /** Maximum characters of one value. Longer ones are cut. */
  readonly value: number
  /** Maximum bytes of all properties of one person, and of the ids of one person. */
  readonly person: number
  /** Maximum bytes of all persons together, for properties and ids each. */
  readonly all: number
}

/** Limits of a list of persons, and of one person. */
export const IN_LIST: PersonBounds = { value: 2_000, person: 20_000, all: 3_000_000 }
export const ALONE: PersonBounds = { value: MAX_VALUE_BYTES, person: 3_000_000, all: 3_000_000 }

const OF_PROJECT = 'project_id = {projectId:UInt32}'

// The row with the highest version of an id is current, so rows with a former owner are found too.
const OWNED = `
  SELECT id, owner, identified FROM (
    SELECT distinct_id AS id, argMax(person, version) AS owner, argMax(is_identified, version) AS identified FROM db.person_distinct_ids
    WHERE ${OF_PROJECT} AND distinct_id IN (
      SELECT distinct_id FROM db.person_distinct_ids WHERE ${OF_PROJECT} AND person IN {mains:Array(String)})
    GROUP BY distinct_id)
  WHERE owner IN {mains:Array(String)}`

const IDS = `
  SELECT owner, groupArray(id), max(is_known), max(total) > count() FROM (
    SELECT owner, id, max(id = owner AND identified) OVER (PARTITION BY owner) AS is_known, count() OVER (PARTITION BY owner) AS total
    FROM (${OWNED})
    QUALIFY ${isWithin('length(id) + 3', { partition: 'owner', order: 'id', maxBytes: '{maxBytes:UInt64}' })})
  GROUP BY owner`

// Values are cut before they are aggregated, so that the engine never holds all bytes of many values in memory.
const cut = (column: string) =>
  `(${column}.1, leftUTF8(${column}.2, {maxValue:UInt64}), lengthUTF8(${column}.2) > {maxValue:UInt64})`

// Columns: main id, name, JSON, when the person was first seen (of the property with the empty name), whether anything is missing.
const PROPERTIES = `
  SELECT main, name, if(is_cut, ${cutText('value')}, value), seen, max(is_cut) OVER (PARTITION BY main) OR total > {maxBytes:UInt64}
  FROM (
    SELECT main, name, value, is_cut, seen, sum(length(name) + length(value)) OVER (PARTITION BY main) AS total
    FROM (
      SELECT main, name, if(name = '', f.1, 0) AS seen,
        multiIf(name = '', (toInt64(0), '', 0), s.2 != '', s, s.1 < 0, f, l > s, l, (toInt64(0), '', 0)) AS current,
        current.2 AS value, current.3 AS is_cut
      FROM (
        SELECT if(o.owner = '', p.distinct_id, o.owner) AS main, p.name AS name, max(p.s) AS s, min(p.f) AS f, max(p.l) AS l
        FROM (
          SELECT distinct_id, name, ${cut('set')} AS s, ${cut('first_once')} AS f, ${cut('last_once')} AS l FROM db.person_properties
          WHERE ${OF_PROJECT} AND distinct_id IN (SELECT id FROM (${OWNED}) UNION ALL SELECT arrayJoin({mains:Array(String)}))
        ) AS p
        LEFT JOIN (${OWNED}) AS o ON p.distinct_id = o.id
        GROUP BY main, name
      )
    ) WHERE name = '' OR value != ''
    QUALIFY ${isWithin('length(name) + length(value)', { partition: 'main', order: 'name', maxBytes: '{maxBytes:UInt64}' })}
  )`

/** Reads the persons with these main ids, in the same order. Persons without stored data are left out. Rejects with `ApiError`. */
export type ReadPersons = (
  projectId: number,
  mainIds: readonly string[],
  bounds: PersonBounds,
  signal: AbortSignal,
) => Promise<PersonView[]>

/** Creates the function. The engine cuts the returned values, so that no stored data makes a response large. */
export const createReadPersons =
  (queryRows: QueryRows, owners: Pick<Owners, 'mainIds' | 'publicIds'>): ReadPersons =>
  async (projectId, wanted, bounds, signal) => {
    if (!wanted.length) return []
    const owner = await owners.mainIds(projectId, wanted, signal)
    // An id that was merged into another person names no person.
    const mainIds = wanted.filter((id) => owner.get(id) === id)
    const publicIds = await owners.publicIds(projectId, mainIds, signal)
    const maxBytes = Math.min(bounds.person, Math.floor(bounds.all / mainIds.length))
    const maxValue = Math.min(bounds.value, maxBytes)
    const read = (text: string) =>
      queryInParts(mainIds, (mains) =>
        queryRows(projectId, { text, params: { projectId, mains, maxBytes, maxValue } }, signal),
      )
    const idsOf = new Map((await read(IDS)).map(([main, ...row]) => [main, row] as const))
    const linesOf = new Map<unknown, (readonly unknown[])[]>()
    for (const [main, ...line] of await read(PROPERTIES)) {
      const lines = linesOf.get(main)
      if (lines) lines.push(line)
      else linesOf.set(main, [line])
    }
    const toViews = function* (): Steps<PersonView[]> {
      const views: PersonView[] = []
      for (const main of mainIds) {
        yield
        const lines = linesOf.get(main)
        if (!lines) continue
        const [ids = [main], isIdentified = false, hasMoreIds = false] = idsOf.get(main) ?? []
        const properties: [string, unknown][] = []
        for (const [name, json] of lines) {
          yield
          if (name !== '') properties.push([String(name), JSON.parse(String(json)) as unknown])
        }
        const seen = lines.find(([name]) => name === '')?.[2] ?? 0
        views.push({
          id: publicIds.get(main)!,
          distinct_ids: (ids as string[]).sort(),
          properties: Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1))),
          is_identified: Boolean(isIdentified),
          created_at: new Date(Number(seen)).toISOString(),
          is_truncated: Boolean(hasMoreIds) || lines.some((line) => Boolean(line[3])),
        })
      }
      return views
    }
    return inSlices(toViews())
  }
