import { askInParts } from '../lib/parts.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import type { Storage } from '../storage/storage.ts'

type Values = Readonly<Record<string, unknown>>

/** What to look up of somebody, and of the groups they belong to. */
export interface StoredQuestion {
  readonly projectId: number
  readonly distinctId: string
  /** Names of the person's properties. */
  readonly names: readonly string[]
  /** By type of group. */
  readonly groups: Readonly<Record<string, { readonly key: string; readonly names: readonly string[] }>>
}

export interface StoredAnswer {
  readonly person: Values
  /** By type of group. */
  readonly groups: Readonly<Record<string, Values>>
}

/** Properties of persons and groups, as the events of all their time left them. Rejects with `StorageError`. */
export type StoredProperties = (question: StoredQuestion) => Promise<StoredAnswer>

type Moment = readonly [at: number, json: string]

interface PersonLine {
  readonly id: string
  readonly name: string
  readonly set: Moment
  readonly first: Moment
  readonly last: Moment
}

const isBefore = (a: Moment, b: Moment) =>
  a[0] < b[0] || (a[0] === b[0] && Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])) < 0)
const latest = (moments: readonly Moment[]) => moments.reduce((a, b) => (isBefore(a, b) ? b : a))
const earliest = (moments: readonly Moment[]) => moments.reduce((a, b) => (isBefore(b, a) ? b : a))

// The rule of the persons' table (sql/catalog/derived.ts): the latest $set or $unset decides; without any the earliest $set_once; after an
// $unset the latest $set_once if that came later.
const jsonOf = (lines: readonly PersonLine[]): string => {
  const [set, first, last] = [
    latest(lines.map((each) => each.set)),
    earliest(lines.map((each) => each.first)),
    latest(lines.map((each) => each.last)),
  ]
  if (set[1]) return set[1]
  if (set[0] < 0) return first[1]
  return isBefore(set, last) ? last[1] : ''
}

const valuesOf = (entries: readonly (readonly [name: string, json: string])[]): Values =>
  Object.fromEntries(entries.flatMap(([name, json]) => (json ? [[name, JSON.parse(json) as unknown]] : [])))

// Ids that a person was ever given are looked up once more for whose they are: of an id's rows the one of the highest version counts.
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

/** Looks up in the engine. A project's questions that come while one is being answered are asked together. */
export const createStoredProperties = (
  { rows }: Pick<Storage, 'rows'>,
  { groupTypes }: Pick<Metadata, 'groupTypes'>,
): StoredProperties => {
  const ofPersons = async (
    projectId: number,
    questions: readonly StoredQuestion[],
  ): Promise<(question: StoredQuestion) => Values> => {
    const asked = questions.filter(({ names }) => names.length)
    if (!asked.length) return () => ({})
    const kin = await askInParts(distinct(asked.map(({ distinctId }) => distinctId)), (ids) =>
      rows<{ id: string; person: string }>({ text: KIN, params: { projectId, ids } }),
    )
    const personOf = new Map(kin.map(({ id, person }) => [id, person]))
    const idsOf = (distinctId: string) => {
      const person = personOf.get(distinctId)
      return person === undefined ? [distinctId] : kin.filter((each) => each.person === person).map(({ id }) => id)
    }
    const names = distinct(asked.flatMap((each) => each.names))
    const lines = await askInParts(distinct(asked.flatMap(({ distinctId }) => idsOf(distinctId))), (ids) =>
      rows<PersonLine>({ text: PERSON_LINES, params: { projectId, ids, names } }),
    )
    return ({ distinctId, names }) => {
      const own = new Set(idsOf(distinctId))
      const mine = lines.filter(({ id }) => own.has(id))
      return valuesOf(
        names.flatMap((name) => {
          const told = mine.filter((each) => each.name === name)
          return told.length ? [[name, jsonOf(told)] as const] : []
        }),
      )
    }
  }

  const ofGroups = async (
    projectId: number,
    questions: readonly StoredQuestion[],
  ): Promise<(question: StoredQuestion) => Readonly<Record<string, Values>>> => {
    const asked = questions.flatMap(({ groups }) => Object.values(groups))
    if (!asked.length) return () => ({})
    const types = await groupTypes.list(projectId)
    const names = distinct(asked.flatMap((each) => each.names))
    const lines = await askInParts(distinct(asked.map(({ key }) => key)), (keys) =>
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
    readonly question: StoredQuestion
    readonly resolve: (answer: StoredAnswer) => void
    readonly reject: (error: unknown) => void
  }
  /** What waits for the answer under way, by project: one project's large batch never holds up another's. */
  const waiting = new Map<number, Waiting[]>()

  const askTogether = async (projectId: number, together: readonly Waiting[]) => {
    try {
      const questions = together.map(({ question }) => question)
      const [person, groups] = await Promise.all([ofPersons(projectId, questions), ofGroups(projectId, questions)])
      for (const { question, resolve } of together) resolve({ person: person(question), groups: groups(question) })
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  const askFor = async (projectId: number) => {
    for (let next = waiting.get(projectId); next?.length; next = waiting.get(projectId)) {
      waiting.set(projectId, [])
      await askTogether(projectId, next)
    }
    waiting.delete(projectId)
  }

  return (question) =>
    new Promise((resolve, reject) => {
      const { projectId } = question
      const each = { question, resolve, reject }
      const others = waiting.get(projectId)
      if (others) return void others.push(each)
      waiting.set(projectId, [each])
      void askFor(projectId)
    })
}
