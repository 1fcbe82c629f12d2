import { DERIVED, personsWithId, personsWithValue } from '../sql/catalog/derived.ts'
import type { DerivedRows } from '../sql/catalog/derivedRows.ts'
import { call, infix, type QuerySql, type SelectSql, type Sql } from '../sql/catalog/physical.ts'
import { compileQuery, parseQuery } from '../sql/compile.ts'
import { print } from '../sql/print/print.ts'
import { ApiError } from '../lib/apiError.ts'
import { queryInParts } from '../lib/parts.ts'
import type { Storage } from '../storage/storage.ts'
import { createQueryRows } from './queryRows.ts'
import type { MergeKind } from './merge.ts'
import { createOwners, type PersonIds } from './owners.ts'
import { ALONE, createReadPersons, IN_LIST, type PersonView } from './readPersons.ts'

export interface PersonsPage {
  readonly limit: number
  readonly offset: number
  /** Only the person with this id. */
  readonly distinctId?: string | undefined
  /** Only persons with an id that begins with this, or with an email or name that contains it in any case. */
  readonly search?: string | undefined
}

/** An event that stated that two ids belong to one person. */
export interface MergeView {
  readonly at: string
  readonly kind: MergeKind
  readonly from: string
  readonly into: string
  readonly event_uuid: string
  /** Whether both ids belong to this person today. False: the rules for merges kept two persons separate. */
  readonly is_applied: boolean
}

export interface Persons {
  /** Lists persons, newest first, with the beginning of long values. */
  list(projectId: number, page: PersonsPage, signal: AbortSignal): Promise<PersonView[]>
  get(projectId: number, id: string, signal: AbortSignal): Promise<PersonView>
  /** Returns all ids of a person, including a person with events only. Empty: no such person. */
  distinctIds(projectId: number, id: string, signal: AbortSignal): Promise<string[]>
  /** Returns the person's main id, for which flags are evaluated. */
  mainId(projectId: number, id: string, signal: AbortSignal): Promise<string>
  /** Lists the merges of the person's ids, newest first. */
  merges(projectId: number, id: string, limit: number, signal: AbortSignal): Promise<MergeView[]>
}

const count = (value: number): Sql => ({ kind: 'parameter', type: 'UInt64', value })
const textOf = (value: string): Sql => ({ kind: 'parameter', type: 'String', value })
const escapeLike = (value: string) => value.replace(/[\\%_]/g, '\\$&')

const SEARCHED = ['email', 'name']

/**
 * Returns the queries of a search by the beginning of a distinct id, or by a part of the email or name in any case. `candidates`: the main
 * ids of all matching persons, and of persons that no longer have the value. `matches`: the condition that a person matches.
 */
const searchQuery = (search: string) => {
  const contains = (value: Sql) =>
    call('ifNull', call('ilike', value, textOf(`%${escapeLike(search)}%`)), { kind: 'boolean', value: false })
  const owners = personsWithId((id) => call('startsWith', id, textOf(search)))
  const candidates: QuerySql = {
    kind: 'set',
    first: owners,
    rest: [{ operator: 'union all', query: personsWithValue(SEARCHED, contains) }],
  }
  const matches = (persons: DerivedRows): Sql => {
    const isOwner: Sql = { kind: 'in', isNot: false, left: persons.key(), right: { kind: 'query', query: owners } }
    const properties = SEARCHED.map((key) => contains(persons.column('properties')!.child!(key).read()))
    return properties.reduce((left, right) => infix(left, 'OR', right), isOwner)
  }
  return { candidates, matches }
}

/** Selects the main ids of a page of persons, newest first. A search reads only the properties that it searches. */
const pageQuery = ({ limit, offset, search }: PersonsPage): SelectSql => {
  const found = search === undefined ? undefined : searchQuery(search)
  const persons = DERIVED.persons({ as: '__persons', ...(found ? { among: found.candidates } : {}) })
  const [id, createdAt] = [persons.column('id')!.read(), persons.column('created_at')!.read()]
  return {
    kind: 'select',
    items: [{ value: persons.key(), name: '__main' }],
    ...(found ? { where: found.matches(persons) } : {}),
    from: persons.toSql(),
    orderBy: [
      { by: createdAt, isDescending: true },
      { by: id, isDescending: false },
    ],
    limit: count(limit),
    offset: count(offset),
  }
}

const MERGES = `
  SELECT DISTINCT at, toString(uuid) AS event_uuid, kind, from_id, into_id FROM db.person_merges
  WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} AND from_id != ''
  ORDER BY at DESC, event_uuid DESC LIMIT {limit:UInt32}`

const IDS_OF_EVENTS = parseQuery('SELECT DISTINCT distinct_id FROM events WHERE toString(person_id) = {variables.id}')

// Reads all persons of a project. Meant for occasional lookups by people, not for each page view.
const MAX_SECONDS = 60

const noSuchPerson = () => new ApiError('not_found', { detail: 'This project has no person with this id.' })

/** Reads the persons of a project. */
export const createPersons = (storage: Pick<Storage, 'run'>): Persons => {
  const queryRows = createQueryRows(storage, MAX_SECONDS)
  const owners = createOwners(queryRows)
  const read = createReadPersons(queryRows, owners)

  const idsOfPerson = async (projectId: number, id: string, signal: AbortSignal): Promise<PersonIds | undefined> => {
    const mainId = await owners.mainIdOf(projectId, id, signal)
    return mainId === undefined ? undefined : (await owners.idsOf(projectId, [mainId], signal))[0]
  }

  const distinctIds: Persons['distinctIds'] = async (projectId, id, signal) => {
    const person = await idsOfPerson(projectId, id, signal)
    if (person) return [...person.distinctIds]
    const variables = { id: { type: 'String', value: id } } as const
    const rows = await queryRows(projectId, compileQuery(IDS_OF_EVENTS, { projectId, variables }), signal)
    return rows.map(([each]) => String(each))
  }

  const knownIds = async (projectId: number, id: string, signal: AbortSignal): Promise<string[]> => {
    const ids = await distinctIds(projectId, id, signal)
    if (!ids.length) throw noSuchPerson()
    return ids
  }

  return {
    async list(projectId, page, signal) {
      if (page.distinctId === undefined) {
        const rows = await queryRows(projectId, print(pageQuery(page), projectId), signal)
        return read(
          projectId,
          rows.map(([mainId]) => String(mainId)),
          IN_LIST,
          signal,
        )
      }
      const mainIds = await owners.mainIds(projectId, [page.distinctId], signal)
      const found = await read(projectId, [...mainIds.values()], IN_LIST, signal)
      return found.slice(page.offset, page.offset + page.limit)
    },
    async get(projectId, id, signal) {
      const mainId = await owners.mainIdOf(projectId, id, signal)
      const [person] = mainId === undefined ? [] : await read(projectId, [mainId], ALONE, signal)
      if (!person) throw noSuchPerson()
      return person
    },
    distinctIds,
    async mainId(projectId, id, signal) {
      return (await idsOfPerson(projectId, id, signal))?.mainId ?? (await knownIds(projectId, id, signal))[0]!
    },
    async merges(projectId, id, limit, signal) {
      const own = new Set(await knownIds(projectId, id, signal))
      const rows = await queryInParts([...own], (ids) =>
        queryRows(projectId, { text: MERGES, params: { projectId, ids, limit } }, signal),
      )
      const views = rows.map(([at, uuid, kind, from, into]): MergeView => {
        const is_applied = own.has(String(from)) && own.has(String(into))
        return {
          at: new Date(Number(at)).toISOString(),
          kind: kind as MergeKind,
          from: String(from),
          into: String(into),
          event_uuid: String(uuid),
          is_applied,
        }
      })
      // A merge is stored under both of its ids, which may be in different parts.
      const byEvent = new Map(views.map((view) => [view.event_uuid, view]))
      return [...byEvent.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, limit)
    },
  }
}
