import { type BoundValue, compileQuery, parseQuery } from '../sql/compile.ts'
import { ApiError } from '../lib/apiError.ts'
import { type Storage, StorageError, storageApiError } from '../storage/storage.ts'

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
}

export interface Persons {
  /** Lists persons, newest first. */
  list(projectId: number, page: PersonsPage): Promise<PersonView[]>
  get(projectId: number, id: string): Promise<PersonView>
  /** Returns all ids of a person, including a person with events only. Empty: no such person. */
  distinctIds(projectId: number, id: string): Promise<string[]>
}

// Compiled like a project's own queries, so persons are defined in one place and both walls between projects apply.
const PERSONS = 'SELECT toString(id), is_identified, created_at, toString(properties) FROM persons'
const LIST = parseQuery(`${PERSONS} ORDER BY created_at DESC, id`)
const BY_ID = parseQuery(`${PERSONS} WHERE toString(id) = {variables.id}`)
const BY_DISTINCT_ID = parseQuery(
  `${PERSONS} WHERE id IN (SELECT person_id FROM person_distinct_ids WHERE distinct_id = {variables.distinct_id})`,
)
const IDS = parseQuery(
  'SELECT toString(person_id), distinct_id FROM person_distinct_ids WHERE has({variables.ids}, toString(person_id)) ORDER BY distinct_id',
)
const IDS_OF_EVENTS = parseQuery('SELECT DISTINCT distinct_id FROM events WHERE toString(person_id) = {variables.id}')

// Reads all persons of a project. Meant for occasional lookups by people, not for each page view.
const LIMITS = { maxSeconds: 60, maxMemoryBytes: 1_000_000_000, maxRows: 1_000_000 }

const text = (value: string): BoundValue => ({ type: 'String', value })

/** Reads the persons of a project. */
export const createPersons = ({ run }: Pick<Storage, 'run'>): Persons => {
  const ask = async (
    query: typeof LIST,
    projectId: number,
    variables: Readonly<Record<string, BoundValue>>,
    page: { limit?: number; offset?: number } = {},
  ) => {
    try {
      return (await run(compileQuery(query, { projectId, variables, ...page }), { ...LIMITS, projectId })).rows
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      const isTooDear = error.kind === 'timeout' || error.kind === 'memory' || error.kind === 'size'
      throw storageApiError(error) ?? (isTooDear ? new ApiError('query_timeout', { retryAfterSeconds: 5 }) : error)
    }
  }

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

  return {
    list: async (projectId, { distinctId, limit, offset }) =>
      withIds(
        projectId,
        distinctId === undefined
          ? await ask(LIST, projectId, {}, { limit, offset })
          : await ask(BY_DISTINCT_ID, projectId, { distinct_id: text(distinctId) }, { limit, offset }),
      ),
    async get(projectId, id) {
      const [person] = await withIds(projectId, await ask(BY_ID, projectId, { id: text(id) }))
      if (!person) throw new ApiError('not_found', { detail: 'This project has no person with this id.' })
      return person
    },
    async distinctIds(projectId, id) {
      const known = await ask(IDS, projectId, { ids: { type: 'Array(String)', value: [id] } })
      return known.length
        ? known.map(([, distinctId]) => String(distinctId))
        : (await ask(IDS_OF_EVENTS, projectId, { id: text(id) })).map(([distinctId]) => String(distinctId))
    },
  }
}
