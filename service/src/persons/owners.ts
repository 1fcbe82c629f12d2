import { queryInParts } from '../lib/parts.ts'
import type { QueryRows } from './queryRows.ts'

const OF_PROJECT = 'project_id = {projectId:UInt32}'

/** Returns the SQL of the public id of a person, from the main id. `sql/catalog/derived.ts` has the same definition. */
const publicId = (mainId: string) => `reinterpretAsUUID(sipHash128({projectId:UInt32}, ${mainId}))`

const OWNERS = `
  SELECT distinct_id, argMax(person, version), argMax(is_identified, version) FROM db.person_distinct_ids
  WHERE ${OF_PROJECT} AND distinct_id IN {ids:Array(String)} GROUP BY distinct_id`

const PUBLIC_IDS = `SELECT id, toString(${publicId('id')}) FROM (SELECT arrayJoin({ids:Array(String)}) AS id)`

// A main id has been seen. An id that events only named has been merged instead.
const MAIN = `
  SELECT id FROM (
    SELECT distinct_id AS id FROM db.person_properties WHERE ${OF_PROJECT} AND name = ''
    UNION ALL SELECT person AS id FROM db.person_distinct_ids WHERE ${OF_PROJECT})
  WHERE ${publicId('id')} = {personId:UUID} LIMIT 1`

/** Ids of a page. A person may have any number of ids, but a statement returns a bounded number of rows. */
const PAGE = 2_000

// The row with the highest version of an id is current, so rows with a former owner are found too.
const IDS = `
  SELECT distinct_id, argMax(person, version) AS owner, argMax(is_identified, version) FROM db.person_distinct_ids
  WHERE ${OF_PROJECT} AND distinct_id IN (
    SELECT distinct_id FROM db.person_distinct_ids WHERE ${OF_PROJECT} AND (person IN {ids:Array(String)} OR distinct_id IN {ids:Array(String)}))
    AND distinct_id > {after:String}
  GROUP BY distinct_id ORDER BY distinct_id LIMIT ${PAGE}`

/** The distinct ids of a person. */
export interface PersonIds {
  readonly mainId: string
  readonly distinctIds: readonly string[]
  readonly isIdentified: boolean
}

/** Looks up which ids belong to which person. All methods reject with `ApiError`. */
export interface Owners {
  /** Returns the main id of the person of each distinct id. */
  mainIds(projectId: number, distinctIds: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Returns the public id of the person of each main id. */
  publicIds(projectId: number, mainIds: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Returns the main id of the person with a public id. `undefined`: no person was seen or merged with it. */
  mainIdOf(projectId: number, publicId: string, signal: AbortSignal): Promise<string | undefined>
  /** Returns the ids of the persons with these main ids. Ids that were merged into another person are left out. */
  idsOf(projectId: number, mainIds: readonly string[], signal: AbortSignal): Promise<PersonIds[]>
}

export const createOwners = (queryRows: QueryRows): Owners => {
  const lookUp = <Row extends readonly unknown[]>(
    projectId: number,
    text: string,
    all: readonly string[],
    signal: AbortSignal,
  ) =>
    queryInParts(
      all,
      async (ids) => (await queryRows(projectId, { text, params: { projectId, ids } }, signal)) as unknown as Row[],
    )

  /** Returns the rows of `IDS` for some ids. */
  const allPages = async (projectId: number, ids: readonly string[], signal: AbortSignal) => {
    const rows: [id: string, owner: string, isIdentified: number][] = []
    for (let isLast = false; !isLast;) {
      const params = { projectId, ids, after: rows.at(-1)?.[0] ?? '' }
      const page = (await queryRows(projectId, { text: IDS, params }, signal)) as typeof rows
      rows.push(...page)
      isLast = page.length < PAGE
    }
    return rows
  }

  return {
    async mainIds(projectId, distinctIds, signal) {
      const merged = await lookUp<[string, string]>(projectId, OWNERS, distinctIds, signal)
      // An id that was never merged has no row.
      return new Map([
        ...distinctIds.map((id) => [id, id] as const),
        ...merged.map(([id, owner]) => [id, owner] as const),
      ])
    },
    publicIds: async (projectId, mainIds, signal) =>
      new Map(await lookUp<[string, string]>(projectId, PUBLIC_IDS, mainIds, signal)),
    async mainIdOf(projectId, personId, signal) {
      const [row] = await queryRows(projectId, { text: MAIN, params: { projectId, personId } }, signal)
      return row && String(row[0])
    },
    async idsOf(projectId, mainIds, signal) {
      const rows = await queryInParts(mainIds, (ids) => allPages(projectId, ids, signal))
      const owned = new Map<string, string[]>()
      for (const [id, owner] of rows) {
        const ids = owned.get(owner)
        if (ids) ids.push(id)
        else owned.set(owner, [id])
      }
      const merged = new Map(
        rows.map(([id, owner, isIdentified]) => [id, { owner, isIdentified: Boolean(isIdentified) }]),
      )
      return mainIds
        .filter((mainId) => (merged.get(mainId)?.owner ?? mainId) === mainId)
        .map((mainId) => ({
          mainId,
          distinctIds: [...new Set(owned.get(mainId) ?? [mainId])].sort(),
          isIdentified: merged.get(mainId)?.isIdentified ?? false,
        }))
    },
  }
}

/** Returns the public id of the person of each distinct id, after merges. */
export const personIdsOf = async (
  owners: Pick<Owners, 'mainIds' | 'publicIds'>,
  projectId: number,
  distinctIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const mainIds = await owners.mainIds(projectId, distinctIds, signal)
  const publicIds = await owners.publicIds(projectId, [...new Set(mainIds.values())], signal)
  return new Map([...mainIds].map(([id, mainId]) => [id, publicIds.get(mainId)!]))
}
