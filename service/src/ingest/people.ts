import { askInParts, inParts } from '../lib/parts.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import type { Storage } from '../storage/storage.ts'
import { insertAll } from './insertRows.ts'
import { createLineBuffer } from './lineBuffer.ts'
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
    values: () => lines.values(),
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

/** The rows of `db.person_merges` for a fact: one under each of its ids. */
const rowsOf = (projectId: number) => (fact: MergeFact) =>
  endsOf(fact).map((id) => ({
    project_id: projectId,
    distinct_id: id,
    at: fact.at,
    uuid: fact.uuid,
    kind: fact.kind,
    from_id: fact.from,
    into_id: fact.into,
  }))

/** Groups of facts whose ids can reach one another. Visits each id and each fact once. */
const componentsOf = (facts: readonly MergeFact[]): MergeFact[][] => {
  const byId = new Map<string, MergeFact[]>()
  for (const fact of facts) {
    for (const id of endsOf(fact)) {
      const others = byId.get(id)
      if (others) others.push(fact)
      else byId.set(id, [fact])
    }
  }
  const done = new Set<MergeFact>()
  const components: MergeFact[][] = []
  for (const start of facts) {
    if (done.has(start)) continue
    const component = [start]
    done.add(start)
    for (const fact of component) {
      for (const id of endsOf(fact)) {
        for (const next of byId.get(id) ?? []) {
          if (done.has(next)) continue
          done.add(next)
          component.push(next)
        }
        byId.delete(id)
      }
    }
    components.push(component)
  }
  return components
}

export interface PeopleOptions {
  /** What this process need not say again. Absent: it says all, because another process may take away what this one has said. */
  readonly sightings?: Sightings
  /** Absent: a batch is worked out in one step of the event loop. */
  readonly slices?: TimeSlices
}

/** Most merges that the persons of one look may have together, and longest way from one id to another. */
export const MAX_FACTS = 10_000
const MAX_STEPS = 100

/** The client of the time slices in which batches are worked out. */
const BATCH = 'batch'

/**
 * Persons follow from facts in the engine's tables, never from a process's memory: facts add up to the same in any order and however
 * often they come, and any process can work out from them whose an id is.
 */
export const createPeople = (
  storage: Pick<Storage, 'rows' | 'insert' | 'work' | 'rowsDatabase'>,
  { sightings, slices }: PeopleOptions = {},
): People => {
  const next = () => slices?.next(BATCH)

  const insert = async (table: string, rows: Iterable<object>) => {
    const lines = createLineBuffer()
    for (const row of rows) {
      const turn = next()
      if (turn) await turn
      lines.add(JSON.stringify(row))
    }
    const bytes = await lines.bytes(next)
    // What the engine refuses of one event must not keep back the others.
    if (bytes.length) await insertAll(storage, table, bytes)
  }

  const factsOf = (projectId: number, all: readonly string[]) =>
    askInParts(all, (ids) =>
      storage.rows<MergeFact>({
        text: 'SELECT DISTINCT at, toString(uuid) AS uuid, kind, from_id AS "from", into_id AS "into" FROM db.person_merges WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)}',
        params: { projectId, ids },
      }),
    )

  /** All facts that can be reached from these ids. `undefined`: they are more than `most`, or farther away than `MAX_STEPS`. */
  const factsAround = async (
    projectId: number,
    ids: readonly string[],
    most: number,
  ): Promise<MergeFact[] | undefined> => {
    const reached = new Set<string>()
    const facts = new Map<string, MergeFact>()
    let steps = 0
    for (let next = [...new Set(ids)]; next.length; steps += 1) {
      if (facts.size > most || (most < Infinity && steps > MAX_STEPS)) return undefined
      for (const id of next) reached.add(id)
      const found = await factsOf(projectId, next)
      for (const fact of found) facts.set(fact.uuid, fact)
      next = [...new Set(found.flatMap(endsOf))].filter((id) => !reached.has(id))
    }
    return [...facts.values()]
  }

  // Worked out after this writer's facts are in: of writers that do so at the same time, the last to look sees the facts of all, and its
  // rows, which follow from the most facts, are those that count. So all rows are written, also the ones that may be there already.
  const settle = async (projectId: number, components: readonly (readonly MergeFact[])[]): Promise<void> => {
    const around = await factsAround(projectId, components.flat().flatMap(endsOf), MAX_FACTS)
    if (around) return writeOwners(projectId, around)
    // A person beyond the bounds stays as it is. Halves find it, so that it keeps nobody else from being merged.
    if (components.length < 2) return
    const half = components.length >> 1
    await settle(projectId, components.slice(0, half))
    await settle(projectId, components.slice(half))
  }

  const writeOwners = async (projectId: number, all: readonly MergeFact[]) => {
    const rows = componentsOf(all).flatMap((component) =>
      [...mergePersons(component)].map(([id, { person, isIdentified }]) => ({
        project_id: projectId,
        distinct_id: id,
        person,
        is_identified: Number(isIdentified),
        version: component.length,
      })),
    )
    await insert('db.person_distinct_ids', rows)
  }

  const remove = async (table: string, projectId: number, where: string, all: readonly string[]) => {
    const text = `ALTER TABLE ${storage.rowsDatabase}.${table} DELETE WHERE project_id = {projectId:UInt32} AND (${where}) SETTINGS mutations_sync = 2`
    for (const ids of inParts(all)) await storage.work({ text, params: { projectId, ids } }, FORGET)
  }

  return {
    async forget(projectId, ids) {
      sightings?.forget(projectId)
      const own = new Set(ids)
      const around = (await factsAround(projectId, ids, Infinity))!
      const others = [...new Set(around.flatMap(endsOf))].filter((id) => !own.has(id))
      if (others.length) {
        const left = around
          .filter(({ into }) => !own.has(into))
          // Who was identified stays so without the id that is forgotten; an alias would else merge two others.
          .map((fact) => (own.has(fact.from) ? { ...fact, from: '' } : fact))
        // Whose the others' ids are follows from fewer facts now, and a row that follows from more would count before it.
        await remove('person_distinct_ids', projectId, OF_IDS, others)
        await writeOwners(projectId, left)
        await insert('db.person_merges', left.filter(({ from }) => !from).flatMap(rowsOf(projectId)))
      }
      await remove('person_merges', projectId, 'from_id IN {ids:Array(String)} OR into_id IN {ids:Array(String)}', ids)
      await remove('person_properties', projectId, OF_IDS, ids)
      // The last: they say which ids belong together, and a repeat of what failed before has to find all.
      await remove('person_distinct_ids', projectId, OF_IDS, ids)
    },
    async store(rows) {
      const [persons, groups] = [createLines(), createLines()]
      for (const row of rows) {
        const turn = next()
        if (turn) await turn
        addPerson(persons, row, sightings?.has(row) ?? false)
        addGroups(groups, row)
      }
      const merges = mergesOf(rows)
      const facts = merges.flatMap(({ projectId, fact }) => rowsOf(projectId)(fact))
      await Promise.all([
        insert('db.person_properties', persons.values()),
        insert('db.group_properties', groups.values()),
        insert('db.person_merges', facts),
      ])
      for (const row of rows) if (row.profile.person) sightings?.add(row)
      for (const projectId of new Set(merges.map((each) => each.projectId))) {
        await settle(
          projectId,
          componentsOf(merges.filter((each) => each.projectId === projectId).map(({ fact }) => fact)),
        )
      }
    },
  }
}
