import { inSlices } from '../lib/largeJson.ts'
import { queryInParts } from '../lib/parts.ts'
import type { Steps } from '../lib/timeSlices.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { NO_CALLER, type ReadBounds, type Storage, StorageError } from '../storage/storage.ts'
import { boundedJson } from './bounds.ts'
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
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal
}

export interface StoredResult {
  readonly person: Values
  /** Keyed by group type. */
  readonly groups: Readonly<Record<string, Values>>
}

/**
 * Looks up the current properties of a person and of groups. A value of more than `MAX_VALUE_BYTES`, stored by an earlier
 * release, is null. Rejects with `StorageError`.
 */
export type StoredProperties = (request: StoredRequest) => Promise<StoredResult>

interface GroupLine {
  readonly place: number
  readonly key: string
  readonly name: string
  readonly json: string
}

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

const timed = (column: string) => `(${column}.1, ${boundedJson(`${column}.2`)})`

const PERSON_LINES = `
  SELECT id, name, ${timed('latest')} AS "set", ${timed('earliest')} AS "first", ${timed('last')} AS "last" FROM (
    SELECT distinct_id AS id, name, max(set) AS latest, min(first_once) AS earliest, max(last_once) AS last FROM db.person_properties
    WHERE project_id = {projectId:UInt32} AND name IN {names:Array(String)} AND distinct_id IN {ids:Array(String)} GROUP BY distinct_id, name)`

const GROUP_LINES = `
  SELECT place, key, name, ${boundedJson('value')} AS json FROM (
    SELECT group_type_index AS place, group_key AS key, name, tupleElement(max(set), 2) AS value FROM db.group_properties
    WHERE project_id = {projectId:UInt32} AND name IN {names:Array(String)} AND group_key IN {keys:Array(String)} GROUP BY group_type_index, group_key, name)`

/** Maximum bytes that one lookup reads. If there are more, fewer requests share a lookup. */
const MAX_LOOKUP_BYTES = 4_000_000
/** Maximum requests that share a lookup. */
const MAX_TOGETHER = 1_000
// Requests share a lookup, so no request may abort it.
const BOUNDS: ReadBounds = { maxBytes: MAX_LOOKUP_BYTES, signal: NO_CALLER }

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

const groupBy = <Line>(lines: readonly Line[], keyOf: (line: Line) => string): Map<string, Line[]> => {
  const groups = new Map<string, Line[]>()
  for (const line of lines) {
    const group = groups.get(keyOf(line))
    if (group) group.push(line)
    else groups.set(keyOf(line), [line])
  }
  return groups
}

const isTooLarge = (error: unknown) => error instanceof StorageError && error.kind === 'bytes'
const abandoned = () => new StorageError('unavailable', 'The caller no longer waits')

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
      rows<{ id: string; person: string }>({ text: KIN, params: { projectId, ids } }, BOUNDS),
    )
    const personOf = new Map(kin.map(({ id, person }) => [id, person]))
    const idsOfPerson = groupBy(kin, ({ person }) => person)
    const idsOf = (distinctId: string) => {
      const person = personOf.get(distinctId)
      return person === undefined ? [distinctId] : idsOfPerson.get(person)!.map(({ id }) => id)
    }
    const names = distinct(wanted.flatMap((each) => each.names))
    let left = MAX_LOOKUP_BYTES
    const lines = await queryInParts(distinct(wanted.flatMap(({ distinctId }) => idsOf(distinctId))), async (ids) => {
      const part = await rows<PersonLine>({ text: PERSON_LINES, params: { projectId, ids, names } }, BOUNDS)
      for (const { set, first, last } of part) left -= set[1].length + first[1].length + last[1].length
      if (left < 0) throw new StorageError('bytes', `The properties have more than ${MAX_LOOKUP_BYTES} bytes`)
      return part
    })
    const linesOf = groupBy(lines, ({ id }) => id)
    return ({ distinctId, names }) => {
      const mine = idsOf(distinctId).flatMap((id) => linesOf.get(id) ?? [])
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
      rows<GroupLine>({ text: GROUP_LINES, params: { projectId, keys, names } }, BOUNDS),
    )
    const linesOf = groupBy(lines, ({ key }) => key)
    return ({ groups }) =>
      Object.fromEntries(
        Object.entries(groups).map(([type, { key, names }]) => [
          type,
          valuesOf(
            (linesOf.get(key) ?? [])
              .filter((line) => line.place === types.indexOf(type) && names.includes(line.name))
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
    const requests = together.map(({ request }) => request)
    const [person, groups] = await Promise.all([ofPersons(projectId, requests), ofGroups(projectId, requests)])
    const answer = function* (): Steps<void> {
      for (const { request, resolve } of together) {
        yield
        resolve({ person: person(request), groups: groups(request) })
      }
    }
    await inSlices(answer())
  }

  const lookUpWaiting = async (projectId: number) => {
    let size = MAX_TOGETHER
    for (let next = waiting.get(projectId)!; next.length; next = waiting.get(projectId)!) {
      const together = next.slice(0, size)
      waiting.set(projectId, next.slice(size))
      const wanted = together.filter(({ request }) => !request.signal.aborted)
      for (const { request, reject } of together) if (request.signal.aborted) reject(abandoned())
      try {
        if (wanted.length) await lookUpTogether(projectId, wanted)
      } catch (error) {
        if (isTooLarge(error) && wanted.length > 1) {
          size = wanted.length >> 1
          waiting.set(projectId, [...wanted, ...waiting.get(projectId)!])
        } else for (const { reject } of wanted) reject(error)
      }
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
