import { queryInParts } from '../lib/parts.ts'
import type { Ask } from './ask.ts'

const OWNERS = `
  SELECT distinct_id, toString(reinterpretAsUUID(sipHash128({projectId:UInt32}, argMax(person, version)))) FROM db.person_distinct_ids
  WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} GROUP BY distinct_id`

const ALONE = `
  SELECT id, toString(reinterpretAsUUID(sipHash128({projectId:UInt32}, id))) FROM (SELECT arrayJoin({ids:Array(String)}) AS id)`

/** Returns the public id of the person of each distinct id, after merges. */
export const personIdsOf = async (
  ask: Ask,
  projectId: number,
  distinctIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const lookUp = (text: string, all: readonly string[]) =>
    queryInParts(all, async (ids) => (await ask(projectId, { text, params: { projectId, ids } })) as [string, string][])
  const merged = new Map(await lookUp(OWNERS, distinctIds))
  // An id that was never merged has no row.
  const alone = distinctIds.filter((id) => !merged.has(id))
  return new Map([...merged, ...(await lookUp(ALONE, alone))])
}

const MAIN = `
  SELECT id FROM (SELECT arrayJoin({ids:Array(String)}) AS id) WHERE toString(reinterpretAsUUID(sipHash128({projectId:UInt32}, id))) = {personId:String}`

/** Returns the main id of a person, one of the person's distinct ids, which the public id is derived from. */
export const mainIdOf = async (
  ask: Ask,
  projectId: number,
  personId: string,
  distinctIds: readonly string[],
): Promise<string | undefined> => {
  const rows = await queryInParts(distinctIds, (ids) =>
    ask(projectId, { text: MAIN, params: { projectId, personId, ids } }),
  )
  return rows.length ? String(rows[0]![0]) : undefined
}
