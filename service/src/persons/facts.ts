import { createLineBuffer } from '../lib/lineBuffer.ts'
import { queryInParts } from '../lib/parts.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import { insertAll } from '../storage/insertRows.ts'
import { NO_CALLER, type Storage, StorageError } from '../storage/storage.ts'
import type { IdentityUpdate, PropertyChange } from './identityUpdate.ts'
import type { LastSeenCache } from './lastSeenCache.ts'
import { connectedFacts, endsOf, type MergeFact, mergePersons, versionOf } from './merge.ts'
import { isBefore, type TimedValue } from './properties.ts'

/** Facts of an event about persons and groups, with the columns of `db.events` that they depend on. */
export interface IdentityRow {
  readonly projectId: number
  readonly uuid: string
  readonly distinctId: string
  /** ms since the epoch. */
  readonly timestamp: number
  readonly identity: IdentityUpdate
  /** The columns of its groups, by their types. */
  readonly groupIndexes: ReadonlyMap<string, number>
}

export interface PersonFacts {
  /** Stores what events say about persons and groups, and the owners of ids that follow from it. Storing it again changes nothing. */
  store(rows: readonly IdentityRow[]): Promise<void>
  /** Returns all merge facts that are connected to these ids. */
  around(projectId: number, ids: readonly string[]): Promise<MergeFact[]>
  /** Stores merge facts. */
  writeMerges(projectId: number, facts: readonly MergeFact[]): Promise<void>
}

const COLUMNS = { set: 'latest', first_once: 'earliest', last_once: 'latest' } as const
type Column = keyof typeof COLUMNS

/** Collects property rows for one insert. Rows with the same key become one. */
const createPropertyRows = () => {
  const rows = new Map<string, Record<string, unknown>>()
  return {
    add(key: Readonly<Record<string, unknown>>, column: Column, value: TimedValue) {
      const id = JSON.stringify(Object.values(key))
      const row = rows.get(id) ?? { ...key }
      const before = row[column] as TimedValue | undefined
      if (!before || (COLUMNS[column] === 'latest' ? isBefore(before, value) : isBefore(value, before)))
        row[column] = value
      rows.set(id, row)
    },
    values: () => rows.values(),
  }
}

type PropertyRows = ReturnType<typeof createPropertyRows>

// The property with the empty name stores when a person or group was first seen.
const SEEN: PropertyChange = ['', '']

const addPerson = (
  rows: PropertyRows,
  { projectId, distinctId, timestamp, identity }: IdentityRow,
  isSeen: boolean,
) => {
  const { person } = identity
  if (!person) return
  const add = (column: Column, [name, json]: PropertyChange) =>
    rows.add({ project_id: projectId, name, distinct_id: distinctId }, column, [timestamp, json])
  if (!isSeen) add('first_once', SEEN)
  for (const change of person.set) add('set', change)
  for (const change of person.setOnce) {
    add('first_once', change)
    add('last_once', change)
  }
}

const addGroups = (rows: PropertyRows, { projectId, groupIndexes, timestamp, identity }: IdentityRow) => {
  const { groups, groupUpdate } = identity
  for (const { type, key, set } of [
    ...groups.map((group) => ({ ...group, set: [] })),
    ...(groupUpdate ? [groupUpdate] : []),
  ]) {
    const index = groupIndexes.get(type)
    if (index === undefined) continue
    const add = (column: Column, [name, json]: PropertyChange) =>
      rows.add({ project_id: projectId, group_type_index: index, name, group_key: key }, column, [timestamp, json])
    add('first_once', SEEN)
    for (const change of set) add('set', change)
  }
}

const mergesOf = (rows: readonly IdentityRow[]): Map<number, MergeFact[]> => {
  const byProject = new Map<number, MergeFact[]>()
  for (const { projectId, uuid, timestamp, identity } of rows) {
    const merge = identity.person?.merge
    if (!merge) continue
    const facts = byProject.get(projectId) ?? []
    facts.push({ ...merge, at: timestamp, uuid })
    byProject.set(projectId, facts)
  }
  return byProject
}

/** Returns the rows of `db.person_merges` for a fact: one under each of its ids. */
const mergeRows = (projectId: number, fact: MergeFact) =>
  endsOf(fact).map((id) => ({
    project_id: projectId,
    distinct_id: id,
    at: fact.at,
    uuid: fact.uuid,
    kind: fact.kind,
    from_id: fact.from,
    into_id: fact.into,
  }))

/** Called before and after the owners of ids change. `isMerge`: whether an id gets another person. */
export interface OwnerHooks {
  readonly begin: (projectId: number, isMerge: boolean) => Promise<void>
  readonly end: (projectId: number, ids: readonly string[]) => Promise<void>
}

export interface FactOptions {
  /** Absent: each batch stores who was seen, because another process may have deleted it. */
  readonly lastSeen?: LastSeenCache
  /** Absent: the rows of a batch are created in one step of the event loop. */
  readonly slices?: TimeSlices
  readonly owners?: OwnerHooks
}

/** Maximum merges that are followed from one id, and steps from one id to another. */
export const MAX_FACTS = 10_000
const MAX_STEPS = 100

interface FactBounds {
  readonly maxFacts: number
  readonly maxSteps: number
  /** Maximum rows and bytes of one read. */
  readonly maxRows: number
  readonly maxBytes: number
}

/** Bounds of following merges when events are stored. */
const FOLLOWED: FactBounds = { maxFacts: MAX_FACTS, maxSteps: MAX_STEPS, maxRows: 5 * MAX_FACTS, maxBytes: 16_000_000 }
/** Bounds of following merges when a person is erased. */
const ALL_FACTS: FactBounds = { maxFacts: Infinity, maxSteps: Infinity, maxRows: 1_000_000, maxBytes: 64_000_000 }

/** Name of the time slices client for this work. */
const BATCH = 'batch'

/**
 * Creates the store of facts about persons. Persons are derived from facts in the engine's tables, never from the
 * memory of a process. The result does not depend on the order of facts or on duplicates, so any process can derive
 * the owner of an id.
 */
export const createPersonFacts = (
  storage: Pick<Storage, 'rows' | 'insert'>,
  { lastSeen, slices, owners }: FactOptions = {},
): PersonFacts => {
  const next = () => slices?.next(BATCH)

  const insert = async (table: string, rows: Iterable<object>) => {
    const lines = createLineBuffer()
    for (const row of rows) {
      const turn = next()
      if (turn) await turn
      lines.add(JSON.stringify(row))
    }
    const bytes = await lines.bytes(next)
    // A row that the engine rejects must not block the others.
    if (bytes.length) await insertAll(storage, table, bytes)
  }

  const factsOf = (projectId: number, all: readonly string[], { maxRows, maxBytes }: FactBounds) => {
    const text = `SELECT DISTINCT at, toString(uuid) AS uuid, kind, from_id AS "from", into_id AS "into" FROM db.person_merges
      WHERE project_id = {projectId:UInt32} AND distinct_id IN {ids:Array(String)} LIMIT {maxRows:UInt64}`
    return queryInParts(all, async (ids) => {
      const params = { projectId, ids, maxRows: maxRows + 1 }
      const found = await storage.rows<MergeFact>({ text, params }, { maxBytes, signal: NO_CALLER })
      if (found.length <= maxRows) return found
      throw new StorageError('size', `An id has more than ${maxRows} merges`)
    })
  }

  /** Returns all facts that are connected to these ids. `undefined`: there are more than the limits allow. */
  const factsAround = async (
    projectId: number,
    ids: readonly string[],
    bounds: FactBounds,
  ): Promise<MergeFact[] | undefined> => {
    const reached = new Set<string>()
    const facts = new Map<string, MergeFact>()
    let steps = 0
    for (let ends = [...new Set(ids)]; ends.length; steps += 1) {
      if (facts.size > bounds.maxFacts || steps > bounds.maxSteps) return undefined
      for (const id of ends) reached.add(id)
      const found = await factsOf(projectId, ends, bounds)
      for (const fact of found) facts.set(fact.uuid, fact)
      ends = [...new Set(found.flatMap(endsOf))].filter((id) => !reached.has(id))
    }
    return [...facts.values()]
  }

  /** Does the same as `factsAround`, but also returns `undefined` if the facts have too many bytes. */
  const fewFactsAround = async (projectId: number, ids: readonly string[]): Promise<MergeFact[] | undefined> => {
    try {
      return await factsAround(projectId, ids, FOLLOWED)
    } catch (error) {
      if (error instanceof StorageError && (error.kind === 'bytes' || error.kind === 'size')) return undefined
      throw error
    }
  }

  /** Stores the owner of each id in these facts. The facts must include all that are connected. */
  const writeOwners = async (projectId: number, facts: readonly MergeFact[]) => {
    const rows = connectedFacts(facts).flatMap((connected) =>
      [...mergePersons(connected)].map(([id, { person, isIdentified }]) => ({
        project_id: projectId,
        distinct_id: id,
        person,
        is_identified: Number(isIdentified),
        version: versionOf(connected),
      })),
    )
    await owners?.begin(
      projectId,
      rows.some(({ distinct_id, person }) => person !== distinct_id),
    )
    try {
      await insert('db.person_distinct_ids', rows)
    } finally {
      // A failed insert may have stored the rows.
      await owners?.end(
        projectId,
        rows.map((row) => row.distinct_id),
      )
    }
  }

  // Runs after this writer's facts are stored. Of several concurrent writers, the last one reads the facts of all, and
  // its rows win because they follow from the most facts. So all rows are written, including those that may exist.
  const storeOwners = async (projectId: number, components: readonly (readonly MergeFact[])[]): Promise<void> => {
    const around = await fewFactsAround(projectId, components.flat().flatMap(endsOf))
    if (around) return writeOwners(projectId, around)
    // A person beyond the limits stays unchanged. Bisecting finds it, so that all others are still merged.
    if (components.length < 2) return
    const half = components.length >> 1
    await storeOwners(projectId, components.slice(0, half))
    await storeOwners(projectId, components.slice(half))
  }

  return {
    around: async (projectId, ids) => (await factsAround(projectId, ids, ALL_FACTS))!,
    writeMerges: (projectId, facts) =>
      insert(
        'db.person_merges',
        facts.flatMap((fact) => mergeRows(projectId, fact)),
      ),
    async store(rows) {
      const [persons, groups] = [createPropertyRows(), createPropertyRows()]
      for (const row of rows) {
        const turn = next()
        if (turn) await turn
        addPerson(persons, row, lastSeen?.has(row) ?? false)
        addGroups(groups, row)
      }
      const merges = mergesOf(rows)
      await Promise.all([
        insert('db.person_properties', persons.values()),
        insert('db.group_properties', groups.values()),
        insert(
          'db.person_merges',
          [...merges].flatMap(([projectId, facts]) => facts.flatMap((fact) => mergeRows(projectId, fact))),
        ),
      ])
      for (const row of rows) if (row.identity.person) lastSeen?.add(row)
      for (const [projectId, facts] of merges) await storeOwners(projectId, connectedFacts(facts))
    },
  }
}
