import { queryInParts } from '../lib/parts.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage } from '../storage/storage.ts'
import { propertyJson, type StoredProperty } from './properties.ts'

type Values = Readonly<Record<string, unknown>>

/** Properties to look up, of a person and of groups. */
export interface StoredRequest {
  readonly projectId: number
  readonly distinctId: string
  /** Names of the person's properties to look up. */
  readonly names: readonly string[]
  /** Keyed by group type. */
  readonly groups: Readonly<Record<string, { readonly key: string; readonly names: readonly string[] }>>
}

export interface StoredResult {
  readonly person: Values
  /** Keyed by group type. */
  readonly groups: Readonly<Record<string, Values>>
}

/** Looks up the current properties of a person and of groups. Rejects with `StorageError`. */
export type StoredProperties = (request: StoredRequest) => Promise<StoredResult>

interface PersonLine extends StoredProperty {
  readonly id: string
  readonly name: string
}

const valuesOf = (entries: readonly (readonly [name: string, json: string])[]): Values =>
  Object.fromEntries(entries.flatMap(([name, json]) => (json ? [[name, JSON.parse(json) as unknown]] : [])))

// All ids of the persons with the given ids. The row with the highest version of an id is current.
const KIN = `
  SELECT distinct_id AS id, argMax(person, version) AS person FROM db.person_distinct_ids WHERE project_id = {projectId:UInt32} AND distinct_id IN (
    SELECT distinct_id FROM db.person_distinct_ids WHERE project_id = {projectId:UInt32} AND person IN (
      SELECT argMax(person, version) FROM db.person_distinct_ids WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} GROUP BY distinct_id))
  GROUP BY distinct_id`

const PERSON_LINES = `
  SELECT distinct_id AS id, name, max(set) AS "set", min(first_once) AS "first", max(last_once) AS "last" FROM db.person_properties
  WHERE project_id = {projectId:UInt32} AND name IN {names:Array(String)} AND distinct_id IN {ids:Array(String)} GROUP BY distinct_id, name`

const GROUP_LINES = `
  SELECT group_type_index AS place, group_key AS key, name, tupleElement(max(set), 2) AS json FROM db.group_properties
  WHERE project_id = {projectId:UInt32} AND name IN {names:Array(String)} AND group_key IN {keys:Array(String)} GROUP BY group_type_index, group_key, name`

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** Looks up properties in the engine. Requests of a project that arrive during a lookup share the next one. */
export const createStoredProperties = (
  { rows }: Pick<Storage, 'rows'>,
  { groupTypes }: Pick<Metadata, 'groupTypes'>,
): StoredProperties => {
  const ofPersons = async (
    projectId: number,
    requests: readonly StoredRequest[],
  ): Promise<(request: StoredRequest) => Values> => {
    const wanted = requests.filter(({ names }) => names.length)
    if (!wanted.length) return () => ({})
    const kin = await queryInParts(distinct(wanted.map(({ distinctId }) => distinctId)), (ids) =>
      rows<{ id: string; person: string }>({ text: KIN, params: { projectId, ids } }),
    )
    const personOf = new Map(kin.map(({ id, person }) => [id, person]))
    const idsOf = (distinctId: string) => {
      const person = personOf.get(distinctId)
      return person === undefined ? [distinctId] : kin.filter((each) => each.person === person).map(({ id }) => id)
    }
    const names = distinct(wanted.flatMap((each) => each.names))
    const lines = await queryInParts(distinct(wanted.flatMap(({ distinctId }) => idsOf(distinctId))), (ids) =>
      rows<PersonLine>({ text: PERSON_LINES, params: { projectId, ids, names } }),
    )
    return ({ distinctId, names }) => {
      const own = new Set(idsOf(distinctId))
      const mine = lines.filter(({ id }) => own.has(id))
      return valuesOf(
        names.flatMap((name) => {
          const stored = mine.filter((each) => each.name === name)
          return stored.length ? [[name, propertyJson(stored)] as const] : []
        }),
      )
    }
  }

  const ofGroups = async (
    projectId: number,
    requests: readonly StoredRequest[],
  ): Promise<(request: StoredRequest) => Readonly<Record<string, Values>>> => {
    const wanted = requests.flatMap(({ groups }) => Object.values(groups))
    if (!wanted.length) return () => ({})
    const types = await groupTypes.list(projectId)
    const names = distinct(wanted.flatMap((each) => each.names))
    const lines = await queryInParts(distinct(wanted.map(({ key }) => key)), (keys) =>
      rows<{ place: number; key: string; name: string; json: string }>({
        text: GROUP_LINES,
        params: { projectId, keys, names },
      }),
    )
    return ({ groups }) =>
      Object.fromEntries(
        Object.entries(groups).map(([type, { key, names }]) => [
          type,
          valuesOf(
            lines
              .filter((line) => line.place === types.indexOf(type) && line.key === key && names.includes(line.name))
              .map(({ name, json }) => [name, json]),
          ),
        ]),
      )
  }

  interface Waiting {
    readonly request: StoredRequest
    readonly resolve: (result: StoredResult) => void
    readonly reject: (error: unknown) => void
  }
  /** Requests waiting for the running lookup, by project, so that one project never delays another. */
  const waiting = new Map<number, Waiting[]>()

  const lookUpTogether = async (projectId: number, together: readonly Waiting[]) => {
    try {
      const requests = together.map(({ request }) => request)
      const [person, groups] = await Promise.all([ofPersons(projectId, requests), ofGroups(projectId, requests)])
      for (const { request, resolve } of together) resolve({ person: person(request), groups: groups(request) })
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  const lookUpWaiting = async (projectId: number) => {
    for (let next = waiting.get(projectId); next?.length; next = waiting.get(projectId)) {
      waiting.set(projectId, [])
      await lookUpTogether(projectId, next)
    }
    waiting.delete(projectId)
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const { projectId } = request
      const each = { request, resolve, reject }
      const others = waiting.get(projectId)
      if (others) return void others.push(each)
      waiting.set(projectId, [each])
      void lookUpWaiting(projectId)
    })
}
