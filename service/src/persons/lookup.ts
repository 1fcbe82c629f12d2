import { type BoundValue, compileQuery, parseQuery } from '../sql/compile.ts'
import { ApiError } from '../lib/apiError.ts'
import { queryInParts } from '../lib/parts.ts'
import type { Storage } from '../storage/storage.ts'
import { createAsk } from './ask.ts'
import type { MergeKind } from './merge.ts'
import { mainIdOf } from './owners.ts'

/** A person as the API returns it. */
export interface PersonView {
  /** `person.id` in queries. */
  readonly id: string
  readonly distinct_ids: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
  readonly is_identified: boolean
  readonly created_at: string
}

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
  /** Lists persons, newest first. */
  list(projectId: number, page: PersonsPage): Promise<PersonView[]>
  get(projectId: number, id: string): Promise<PersonView>
  /** Returns all ids of a person, including a person with events only. Empty: no such person. */
  distinctIds(projectId: number, id: string): Promise<string[]>
  /** Returns the person's main id, which flags are evaluated for. */
  mainId(projectId: number, id: string): Promise<string>
  /** Lists the merges of the person's ids, newest first. */
  merges(projectId: number, id: string, limit: number): Promise<MergeView[]>
}

// Compiled like a project's own queries, so persons are defined in one place and both walls between projects apply.
const PERSONS = 'SELECT toString(id), is_identified, created_at, toString(properties) FROM persons'
const LIST = parseQuery(`${PERSONS} ORDER BY created_at DESC, id`)
const BY_ID = parseQuery(`${PERSONS} WHERE toString(id) = {variables.id}`)
const BY_DISTINCT_ID = parseQuery(
  `${PERSONS} WHERE id IN (SELECT person_id FROM person_distinct_ids WHERE distinct_id = {variables.distinct_id})`,
)
const SEARCH = parseQuery(
  `${PERSONS} WHERE properties.email ILIKE {variables.pattern} OR properties.name ILIKE {variables.pattern}
    OR id IN (SELECT person_id FROM person_distinct_ids WHERE startsWith(distinct_id, {variables.search}))
    ORDER BY created_at DESC, id`,
)
const IDS = parseQuery(
  'SELECT toString(person_id), distinct_id FROM person_distinct_ids WHERE has({variables.ids}, toString(person_id)) ORDER BY distinct_id',
)
const IDS_OF_EVENTS = parseQuery('SELECT DISTINCT distinct_id FROM events WHERE toString(person_id) = {variables.id}')

const MERGES = `
  SELECT DISTINCT at, toString(uuid) AS event_uuid, kind, from_id, into_id FROM db.person_merges
  WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} AND from_id != ''
  ORDER BY at DESC, event_uuid DESC LIMIT {limit:UInt32}`

// Reads all persons of a project. Meant for occasional lookups by people, not for each page view.
const MAX_SECONDS = 60

const text = (value: string): BoundValue => ({ type: 'String', value })
const escapeLike = (value: string) => value.replace(/[\\%_]/g, '\\$&')

const noSuchPerson = () => new ApiError('not_found', { detail: 'This project has no person with this id.' })

/** Reads the persons of a project. */
export const createPersons = (storage: Pick<Storage, 'run'>): Persons => {
  const run = createAsk(storage, MAX_SECONDS)
  const ask = (
    query: typeof LIST,
    projectId: number,
    variables: Readonly<Record<string, BoundValue>>,
    page: { limit?: number; offset?: number } = {},
  ) => run(projectId, compileQuery(query, { projectId, variables, ...page }))

  const withIds = async (projectId: number, rows: Awaited<ReturnType<typeof ask>>): Promise<PersonView[]> => {
    if (!rows.length) return []
    const ids = await ask(IDS, projectId, { ids: { type: 'Array(String)', value: rows.map(([id]) => id) } })
    return rows.map(([id, isIdentified, createdAt, properties]) => ({
      id: String(id),
      distinct_ids: ids.flatMap(([person, distinctId]) => (person === id ? [String(distinctId)] : [])),
      properties: JSON.parse(String(properties)) as PersonView['properties'],
      is_identified: Boolean(isIdentified),
      created_at: `${String(createdAt).replace(' ', 'T')}Z`,
    }))
  }

  const distinctIds: Persons['distinctIds'] = async (projectId, id) => {
    const known = await ask(IDS, projectId, { ids: { type: 'Array(String)', value: [id] } })
    return known.length
      ? known.map(([, distinctId]) => String(distinctId))
      : (await ask(IDS_OF_EVENTS, projectId, { id: text(id) })).map(([distinctId]) => String(distinctId))
  }

  const knownIds = async (projectId: number, id: string): Promise<string[]> => {
    const ids = await distinctIds(projectId, id)
    if (!ids.length) throw noSuchPerson()
    return ids
  }

  return {
    async list(projectId, { distinctId, search, limit, offset }) {
      const page = { limit, offset }
      if (distinctId !== undefined)
        return withIds(projectId, await ask(BY_DISTINCT_ID, projectId, { distinct_id: text(distinctId) }, page))
      if (search === undefined) return withIds(projectId, await ask(LIST, projectId, {}, page))
      const variables = { search: text(search), pattern: text(`%${escapeLike(search)}%`) }
      return withIds(projectId, await ask(SEARCH, projectId, variables, page))
    },
    async get(projectId, id) {
      const [person] = await withIds(projectId, await ask(BY_ID, projectId, { id: text(id) }))
      if (!person) throw noSuchPerson()
      return person
    },
    distinctIds,
    async mainId(projectId, id) {
      const ids = await knownIds(projectId, id)
      return (await mainIdOf(run, projectId, id, ids)) ?? ids[0]!
    },
    async merges(projectId, id, limit) {
      const own = await knownIds(projectId, id)
      const rows = await queryInParts(own, (ids) => run(projectId, { text: MERGES, params: { projectId, ids, limit } }))
      const views = rows.map(([at, uuid, kind, from, into]): MergeView => {
        const is_applied = own.includes(String(from)) && own.includes(String(into))
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
