import { Refusal } from '../lib/refusal.ts'
import { isUuid } from '../lib/uuid.ts'
import type { Call, Route } from './route.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

const wholeNumber = (
  { query }: Call,
  name: string,
  { fallback, from, to }: { fallback: number; from: number; to: number },
): number => {
  const text = query[name] ?? String(fallback)
  if (!/^\d{1,9}$/.test(text) || Number(text) < from || Number(text) > to)
    throw new Refusal('invalid_input', { attr: name, detail: `"${name}" is a whole number from ${from} to ${to}.` })
  return Number(text)
}

const idOf = ({ params }: Call): string => {
  if (!isUuid(params.id))
    throw new Refusal('not_found', {
      detail: 'A person\'s id is a UUID; whose a distinct id is tells "?distinct_id=".',
    })
  return params.id.toLowerCase()
}

const flagOf = ({ query }: Call, name: string): boolean => {
  const text = query[name] ?? 'false'
  if (text !== 'true' && text !== 'false')
    throw new Refusal('invalid_input', { attr: name, detail: `"${name}" is true or false.` })
  return text === 'true'
}

const PERSONS = '/api/projects/:projectId/persons'

/** Looks people up, and takes away what is stored of them. */
export const PERSON_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: PERSONS,
    access: 'person:read',
    summary: 'Persons, who came last first; with "distinct_id" the one who has it. "limit", "offset"',
    handler: async ({ persons }, call) => {
      const limit = wholeNumber(call, 'limit', { fallback: DEFAULT_LIMIT, from: 1, to: MAX_LIMIT })
      const offset = wholeNumber(call, 'offset', { fallback: 0, from: 0, to: 999_999_999 })
      const found = await persons.list(call.projectId, { limit: limit + 1, offset, distinctId: call.query.distinct_id })
      const next =
        found.length > limit ? `/api/projects/${call.projectId}/persons/?limit=${limit}&offset=${offset + limit}` : null
      return { body: { results: found.slice(0, limit), next } }
    },
  },
  {
    method: 'GET',
    path: `${PERSONS}/:id`,
    access: 'person:read',
    handler: async ({ persons }, call) => ({ body: await persons.get(call.projectId, idOf(call)) }),
  },
  {
    method: 'DELETE',
    path: `${PERSONS}/:id`,
    access: 'person:write',
    summary: 'Deletes a person, with "delete_events=true" also their events; answered when they are gone',
    handler: async ({ erase }, call) => {
      await erase({ projectId: call.projectId, id: idOf(call), withEvents: flagOf(call, 'delete_events') })
      return { status: 204 }
    },
  },
]
