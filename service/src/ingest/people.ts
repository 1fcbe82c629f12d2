import { askInParts, inParts } from '../lib/parts.ts'
import type { JsonLine, Storage } from '../storage/storage.ts'
import { type MergeFact, mergePersons } from './mergePersons.ts'
import type { PropertyChange } from './profile.ts'
import type { Sightings } from './sightings.ts'
import type { Row } from './writer.ts'

export interface People {
  /** Stores what events say of persons and groups, and what follows from it. Saying the same again changes nothing. */
  store(rows: readonly Row[]): Promise<void>
  /** Takes away all that was said of whoever has these ids, which are all of theirs. No batch may be stored meanwhile. */
  forget(projectId: number, ids: readonly string[]): Promise<void>
}

/** ms since the epoch, and JSON text. The engine compares the same way. */
type Moment = readonly [at: number, json: string]

const isBefore = (a: Moment, b: Moment) =>
  a[0] < b[0] || (a[0] === b[0] && Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])) < 0)

const FORGET = { maxSeconds: 600, maxMemoryBytes: 1_000_000_000 }

const OF_IDS = 'distinct_id IN {ids:Array(String)}'

const COLUMNS = { set: 'latest', first_once: 'earliest', last_once: 'latest' } as const

/** Rows of one insert, of which those with the same key are one. */
const createLines = () => {
  const lines = new Map<string, Record<string, unknown>>()
  return {
    add(key: Readonly<Record<string, unknown>>, column: keyof typeof COLUMNS, moment: Moment) {
      const id = JSON.stringify(Object.values(key))
      const line = lines.get(id) ?? { ...key }
      const before = line[column] as Moment | undefined
      if (!before || (COLUMNS[column] === 'latest' ? isBefore(before, moment) : isBefore(moment, before)))
        line[column] = moment
      lines.set(id, line)
    },
    all: (): JsonLine[] => [...lines.values()].map((line) => JSON.stringify(line)),
  }
}

type Line = ReturnType<typeof createLines>

// The property without a name: when somebody, or a group, was first seen.
const SEEN: PropertyChange = ['', '']

const addPerson = (lines: Line, { projectId, distinctId, timestamp, profile }: Row, isSeen: boolean) => {
  const { person } = profile
  if (!person) return
  const add = (column: keyof typeof COLUMNS, [name, json]: PropertyChange, id = distinctId) =>
    lines.add({ project_id: projectId, name, distinct_id: id }, column, [timestamp, json])
  if (!isSeen) add('first_once', SEEN)
  for (const change of person.set) add('set', change)
  for (const change of person.setOnce) {
    add('first_once', change)
    add('last_once', change)
  }
}

const addGroups = (lines: Line, { projectId, groupIndexes, timestamp, profile }: Row) => {
  const said = [...profile.groups.map((group) => ({ ...group, set: [] })), ...(profile.told ? [profile.told] : [])]
  for (const { type, key, set } of said) {
    const index = groupIndexes.get(type)
    if (index === undefined) continue
    const add = (column: keyof typeof COLUMNS, [name, json]: PropertyChange) =>
      lines.add({ project_id: projectId, group_type_index: index, name, group_key: key }, column, [timestamp, json])
    add('first_once', SEEN)
    for (const change of set) add('set', change)
  }
}

const mergesOf = (rows: readonly Row[]): { projectId: number; fact: MergeFact }[] =>
  rows.flatMap(({ projectId, uuid, timestamp, profile }) =>
    profile.person?.merge ? [{ projectId, fact: { ...profile.person.merge, at: timestamp, uuid } }] : [],
  )

const endsOf = ({ from, into }: MergeFact) => (from ? [from, into] : [into])

/** Facts that have to do with each other: those of which ids can reach one another. */
const componentsOf = (facts: readonly MergeFact[]): MergeFact[][] => {
  const byId = new Map<string, MergeFact[]>()
  for (const fact of facts) for (const id of endsOf(fact)) byId.set(id, [...(byId.get(id) ?? []), fact])
  const done = new Set<MergeFact>()
  return facts.flatMap((start) => {
    if (done.has(start)) return []
    const component = [start]
    done.add(start)
    for (const fact of component) {
      for (const next of endsOf(fact).flatMap((id) => byId.get(id)!)) {
        if (done.has(next)) continue
        done.add(next)
        component.push(next)
      }
    }
    return [component]
  })
}

export interface PeopleOptions {
  /** What this process need not say again. Absent: it says all, because another process may take away what this one has said. */
  readonly sightings?: Sightings
}

/**
 * Persons follow from facts in the engine's tables, never from a process's memory: facts add up to the same in any order and however
 * often they come, and any process can work out from them whose an id is.
 */
export const createPeople = (
  storage: Pick<Storage, 'rows' | 'insert' | 'work' | 'rowsDatabase'>,
  { sightings }: PeopleOptions = {},
): People => {
  const insert = (table: string, lines: readonly JsonLine[]) =>
    lines.length ? storage.insert(table, lines) : undefined

  const factsOf = (projectId: number, all: readonly string[]) =>
    askInParts(all, (ids) =>
      storage.rows<MergeFact>({
        text: 'SELECT DISTINCT at, toString(uuid) AS uuid, kind, from_id AS "from", into_id AS "into" FROM db.person_merges WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)}',
        params: { projectId, ids },
      }),
    )

  /** All facts that can be reached from these ids. */
  const factsAround = async (projectId: number, ids: readonly string[]): Promise<MergeFact[]> => {
    const reached = new Set<string>()
    const facts = new Map<string, MergeFact>()
    for (let next = [...new Set(ids)]; next.length;) {
      for (const id of next) reached.add(id)
      const found = await factsOf(projectId, next)
      for (const fact of found) facts.set(fact.uuid, fact)
      next = [...new Set(found.flatMap(endsOf))].filter((id) => !reached.has(id))
    }
    return [...facts.values()]
  }

  // Worked out after this writer's facts are in: of writers that do so at the same time, the last to look sees the facts of all, and its
  // rows, which follow from the most facts, are those that count. So all rows are written, also the ones that may be there already.
  const settle = async (projectId: number, facts: readonly MergeFact[]) =>
    writeOwners(projectId, await factsAround(projectId, facts.flatMap(endsOf)))

  const writeOwners = async (projectId: number, all: readonly MergeFact[]) => {
    const lines = componentsOf(all).flatMap((component) =>
      [...mergePersons(component)].map(([id, { person, isIdentified }]) =>
        JSON.stringify({
          project_id: projectId,
          distinct_id: id,
          person,
          is_identified: Number(isIdentified),
          version: component.length,
        }),
      ),
    )
    await insert('db.person_distinct_ids', lines)
  }

  const remove = async (table: string, projectId: number, where: string, all: readonly string[]) => {
    const text = `ALTER TABLE ${storage.rowsDatabase}.${table} DELETE WHERE project_id = {projectId:UInt32} AND (${where}) SETTINGS mutations_sync = 2`
    for (const ids of inParts(all)) await storage.work({ text, params: { projectId, ids } }, FORGET)
  }

  return {
    async forget(projectId, ids) {
      sightings?.forget(projectId)
      const own = new Set(ids)
      const around = await factsAround(projectId, ids)
      const others = [...new Set(around.flatMap(endsOf))].filter((id) => !own.has(id))
      if (others.length) {
        // Whose the others' ids are follows from fewer facts now, and a row that follows from more would count before it.
        await remove('person_distinct_ids', projectId, OF_IDS, others)
        await writeOwners(
          projectId,
          around.filter((fact) => !endsOf(fact).some((id) => own.has(id))),
        )
      }
      await remove('person_merges', projectId, 'from_id IN {ids:Array(String)} OR into_id IN {ids:Array(String)}', ids)
      await remove('person_properties', projectId, OF_IDS, ids)
      // The last: they say which ids belong together, and a repeat of what failed before has to find all.
      await remove('person_distinct_ids', projectId, OF_IDS, ids)
    },
    async store(rows) {
      const [persons, groups] = [createLines(), createLines()]
      for (const row of rows) {
        addPerson(persons, row, sightings?.has(row) ?? false)
        addGroups(groups, row)
      }
      const merges = mergesOf(rows)
      const lines = merges.flatMap(({ projectId, fact }) =>
        endsOf(fact).map((id) =>
          JSON.stringify({
            project_id: projectId,
            distinct_id: id,
            at: fact.at,
            uuid: fact.uuid,
            kind: fact.kind,
            from_id: fact.from,
            into_id: fact.into,
          }),
        ),
      )
      await Promise.all([
        insert('db.person_properties', persons.all()),
        insert('db.group_properties', groups.all()),
        insert('db.person_merges', lines),
      ])
      for (const row of rows) if (row.profile.person) sightings?.add(row)
      for (const projectId of new Set(merges.map((each) => each.projectId))) {
        await settle(
          projectId,
          merges.filter((each) => each.projectId === projectId).map(({ fact }) => fact),
        )
      }
    },
  }
}
