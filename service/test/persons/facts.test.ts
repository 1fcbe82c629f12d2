import fc from 'fast-check'
import type { Ingest } from '../../src/ingest/ingest.ts'
import { createForgetPerson } from '../../src/persons/forget.ts'
import { createPersonFacts, MAX_FACTS } from '../../src/persons/facts.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { compile } from '../sql/support/compile.ts'
import { randomRuns } from '../sql/support/randomRuns.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { referencePeople, type ReferenceEvent } from '../ingest/support/peopleReference.ts'
import { createTypes, deliver, startIngest } from '../ingest/support/startIngest.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
let storage: Storage
beforeAll(async () => {
  engine = await startTestEngine()
  const place = { url: engine.url }
  storage = createClickhouse(() => place, { tables: TABLES })
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

const kinds = createTypes()
/** How long a process tries to store events that the engine refuses. */
const FAILS_AFTER_MS = 1_000
const startProcess = (port: Pick<Storage, 'rows' | 'insert' | 'remove' | 'ready'> = storage, waitMs?: number): Ingest =>
  startIngest(port, kinds, waitMs)

let uuids = 0
const uuid = () => `00000000-0000-7000-8000-${String(++uuids).padStart(12, '0')}`
const BASE = Date.UTC(2026, 0, 1)
const OTHER: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}

const wire = ({ uuid, at, event, id, other, set, setOnce, unset, isPersonless }: ReferenceEvent) => ({
  uuid,
  event,
  timestamp: new Date(at).toISOString(),
  properties: {
    distinct_id: id,
    ...(other === undefined ? {} : { [OTHER[event] ?? 'other']: other }),
    ...(isPersonless ? { $process_person_profile: false } : {}),
  },
  ...(set ? { $set: set } : {}),
  ...(setOnce ? { $set_once: setOnce } : {}),
  ...(unset ? { $unset: unset } : {}),
})

const send = (ingest: Ingest, project: number, events: readonly ReferenceEvent[]) =>
  deliver(ingest, project, events.map(wire))

let projects = 100
const query = (project: number, text: string) => engine.rows(compile(text, {}, {}, project))

/** Returns every person in the events and persons tables. */
const peopleIn = async (project: number) => {
  const ids = await query(
    project,
    'SELECT person_id, arraySort(groupUniqArray(distinct_id)) FROM events GROUP BY person_id',
  )
  const persons = new Map(
    (await query(project, 'SELECT id, is_identified, properties FROM persons')).map(
      ([id, isIdentified, properties]) => [
        id,
        { isIdentified: Boolean(isIdentified), properties: JSON.parse(String(properties)) },
      ],
    ),
  )
  return ids.map(([person, of]) => ({
    ids: of as string[],
    ...(persons.get(person) ?? { isIdentified: false, properties: {} }),
  }))
}

const sorted = <T extends { readonly ids: readonly string[] }>(people: readonly T[]) =>
  [...people].sort((a, b) => (String(a.ids) < String(b.ids) ? -1 : 1))

// Compares only persons of the reference that have events.
const expectPeople = async (project: number, events: readonly ReferenceEvent[]) => {
  const seen = new Set(events.map(({ id }) => id))
  const expected = referencePeople(events)
    .map((person) => ({ ...person, ids: person.ids.filter((id) => seen.has(id)) }))
    .filter(({ ids }) => ids.length)
  expect(sorted(await peopleIn(project))).toEqual(sorted(expected))
}

const referenceEvent = (event: string, id: string, at: number, more: Partial<ReferenceEvent> = {}): ReferenceEvent => ({
  uuid: uuid(),
  event,
  id,
  at: BASE + at,
  ...more,
})

describe('identity resolution', () => {
  test('attributes earlier anonymous events to a visitor who identifies', async () => {
    const project = ++projects
    await send(startProcess(), project, [
      referenceEvent('visit', 'anon', 1),
      referenceEvent('$identify', 'ann', 2, { other: 'anon', set: { plan: 'pro' } }),
      referenceEvent('visit', 'ann', 3),
    ])
    expect(await query(project, 'SELECT count(), uniqExact(person_id) FROM events')).toEqual([[3, 1]])
    expect(await query(project, "SELECT count() FROM events WHERE person.properties.plan = 'pro'")).toEqual([[3]])
    expect(await query(project, 'SELECT count() FROM persons WHERE is_identified')).toEqual([[1]])
  })

  test('does not merge the second user of a browser into the first', async () => {
    const project = ++projects
    await send(startProcess(), project, [
      referenceEvent('visit', 'anon', 1),
      referenceEvent('$identify', 'ann', 2, { other: 'anon' }),
      referenceEvent('$identify', 'ben', 3, { other: 'anon' }),
      referenceEvent('$identify', 'ann', 4, { other: 'ben' }),
    ])
    expect(sorted(await peopleIn(project)).map(({ ids }) => ids)).toEqual([['ann', 'anon'], ['ben']])
  })

  test('rejects an alias for an identified person, and accepts $merge_dangerously', async () => {
    const project = ++projects
    const known = [referenceEvent('$identify', 'ann', 1), referenceEvent('$identify', 'ben', 2)]
    await send(startProcess(), project, [...known, referenceEvent('$create_alias', 'ann', 3, { other: 'ben' })])
    expect(await peopleIn(project)).toHaveLength(2)
    await send(startProcess(), project, [referenceEvent('$merge_dangerously', 'ann', 4, { other: 'ben' })])
    expect(await peopleIn(project)).toHaveLength(1)
  })

  test('never merges persons by placeholder IDs', async () => {
    const project = ++projects
    const nobody = ['null', 'undefined', 'Anonymous', '[object Object]', '0', ' ']
    await send(startProcess(), project, [
      ...nobody.map((other, at) => referenceEvent('$identify', `user ${at}`, at, { other })),
      ...nobody
        .filter((id) => id.trim())
        .map((id, at) => referenceEvent('$identify', id, 10 + at, { other: `anon ${at}` })),
      ...nobody.map((_, at) => referenceEvent('visit', `anon ${at}`, 20)),
    ])
    expect((await peopleIn(project)).filter(({ ids }) => ids.length > 1)).toEqual([])
  })

  test('stores no facts for an event without person processing and attributes it to the person its ID is merged into', async () => {
    const project = ++projects
    await send(startProcess(), project, [
      referenceEvent('visit', 'anon', 1, { isPersonless: true, set: { plan: 'x' } }),
      referenceEvent('$identify', 'ben', 2, { other: 'other', isPersonless: true }),
    ])
    expect(await query(project, 'SELECT count() FROM persons')).toEqual([[0]])
    expect(
      await query(project, 'SELECT person.properties.plan, person.is_identified, person.created_at FROM events'),
    ).toEqual([
      [null, false, null],
      [null, false, null],
    ])
    await send(startProcess(), project, [referenceEvent('$identify', 'ann', 3, { other: 'anon' })])
    expect(await query(project, 'SELECT event FROM events WHERE person.is_identified ORDER BY timestamp')).toEqual([
      ['visit'],
      ['$identify'],
    ])
  })

  test('follows merges through chains of any length', async () => {
    const project = ++projects
    const chain = ['x', 'y', 'z', 'w']
    await send(
      startProcess(),
      project,
      chain.map((id) => referenceEvent('visit', id, 0)),
    )
    for (const [at, id] of chain.slice(1).entries())
      await send(startProcess(), project, [referenceEvent('$merge_dangerously', id, at + 1, { other: chain[at]! })])
    expect((await peopleIn(project)).map(({ ids }) => ids)).toEqual([['w', 'x', 'y', 'z']])
  })

  test('is not reverted by a process that writes outdated results late', async () => {
    const project = ++projects
    let open = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    let isHeld: (held: boolean) => void = () => {}
    const held = new Promise<boolean>((resolve) => (isHeld = resolve))
    const slow = startProcess({
      ...storage,
      insert: async (table, rows) => {
        if (table === 'db.person_distinct_ids') {
          isHeld(true)
          await gate
        }
        await storage.insert(table, rows)
      },
    })
    const answer = send(slow, project, [referenceEvent('$identify', 'ann', 1, { other: 'anon' })])
    await held
    await send(startProcess(), project, [referenceEvent('$merge_dangerously', 'ben', 2, { other: 'ann' })])
    open()
    await answer
    await send(startProcess(), project, [referenceEvent('visit', 'anon', 3)])
    expect((await peopleIn(project)).map(({ ids }) => ids)).toEqual([['ann', 'anon', 'ben']])
    await engine.command('OPTIMIZE TABLE db.person_distinct_ids FINAL')
    expect(await peopleIn(project)).toHaveLength(1)
  })

  test('keeps the ID of a person when others are merged into it', async () => {
    const project = ++projects
    await send(startProcess(), project, [referenceEvent('$identify', 'ann', 1)])
    const [[before]] = (await query(project, 'SELECT id FROM persons')) as [[string]]
    await send(startProcess(), project, [
      referenceEvent('visit', 'anon', 2),
      referenceEvent('$identify', 'ann', 3, { other: 'anon' }),
    ])
    expect(await query(project, 'SELECT DISTINCT person_id FROM events')).toEqual([[before]])
    expect(await query(project, 'SELECT distinct_id, person_id FROM person_distinct_ids ORDER BY 1')).toEqual([
      ['ann', before],
      ['anon', before],
    ])
    expect(await query(++projects, 'SELECT * FROM person_distinct_ids')).toEqual([])
  })
})

describe('person properties', () => {
  const propertiesAfter = async (...events: ReferenceEvent[]) => {
    const project = ++projects
    await send(startProcess(), project, events)
    const [[properties]] = (await query(project, 'SELECT properties FROM persons')) as [[string]]
    return JSON.parse(properties)
  }

  test('take the latest $set in any order of arrival', async () => {
    expect(
      await propertiesAfter(
        referenceEvent('$set', 'ann', 5, { set: { plan: 'new' } }),
        referenceEvent('$set', 'ann', 3, { set: { plan: 'old', city: 'Rome' } }),
      ),
    ).toEqual({ plan: 'new', city: 'Rome' })
  })
  test('take the earliest $set_once, which never overrides a $set', async () => {
    expect(
      await propertiesAfter(
        referenceEvent('a', 'ann', 5, { setOnce: { from: 'second', plan: 'x' } }),
        referenceEvent('a', 'ann', 3, { setOnce: { from: 'first' }, set: { plan: 'set' } }),
      ),
    ).toEqual({ from: 'first', plan: 'set' })
  })
  test('lose earlier values by $unset and keep later ones', async () => {
    const values = { a: 1, b: 1 }
    expect(
      await propertiesAfter(
        referenceEvent('x', 'ann', 1, { set: values, setOnce: { c: 1, d: 1 } }),
        referenceEvent('$set', 'ann', 2, { unset: ['a', 'b', 'c', 'd'] }),
        referenceEvent('x', 'ann', 3, { set: { b: 2 }, setOnce: { d: 2 } }),
      ),
    ).toEqual({ b: 2, d: 2 })
  })
  test('keep the types of all values', async () => {
    const values = {
      text: '12',
      number: 12,
      yes: true,
      none: null,
      list: [1, 'a'],
      object: { deep: { er: "it's" } },
      'a.b': '\ud800 half',
      quote: '"',
      big: 1e30,
      'na"me': 'x',
    }
    expect(await propertiesAfter(referenceEvent('$set', 'ann', 1, { set: values }))).toEqual({
      ...values,
      'a.b': '\ufffd half',
    })
  })
})

test('a person beyond the merge limit does not block merges of other persons', async () => {
  const project = ++projects
  const ingest = startProcess()
  const star = Array.from({ length: MAX_FACTS + 1 }, (_, n) =>
    referenceEvent('$identify', 'star', n, { other: `a${n}` }),
  )
  for (const half of [star.slice(0, 6_000), star.slice(6_000)]) await send(ingest, project, half)
  await send(ingest, project, [
    referenceEvent('$identify', 'star', 20_000, { other: 'late' }),
    referenceEvent('visit', 'late', 20_001),
    referenceEvent('$identify', 'ann', 20_000, { other: 'anon' }),
    referenceEvent('visit', 'anon', 20_001),
  ])
  expect(sorted(await peopleIn(project)).map(({ ids }) => ids)).toEqual([['ann', 'anon'], ['late'], ['star']])
})

test('a process stores a known person once and then skips repeated facts', async () => {
  const project = ++projects
  const written: number[] = []
  const ingest = startProcess({
    ...storage,
    insert: async (table, rows) => {
      if (table === 'db.person_properties') written.push(String(rows).trim().split('\n').length)
      await storage.insert(table, rows)
    },
  })
  const firstSeen = () => query(project, 'SELECT toUnixTimestamp64Milli(created_at) FROM persons')
  for (const at of [5, 7, 5])
    await send(ingest, project, [referenceEvent('visit', 'ann', at), referenceEvent('visit', 'ann', at + 1)])
  expect(await firstSeen()).toEqual([[BASE + 5]])
  expect(written).toEqual([1])
  await send(ingest, project, [referenceEvent('visit', 'ann', 3)])
  expect(await firstSeen()).toEqual([[BASE + 3]])
})

test('a person whose facts could not be stored is created on retry', async () => {
  const project = ++projects
  let isBroken = true
  const ingest = startProcess(
    {
      ...storage,
      insert: (table, rows) =>
        isBroken && table === 'db.person_properties'
          ? storage.command('SELECT throwIf(1)')
          : storage.insert(table, rows),
    },
    FAILS_AFTER_MS,
  )
  const visit = referenceEvent('visit', 'ann', 1)
  await expect(send(ingest, project, [visit])).rejects.toMatchObject({ code: 'engine_unavailable' })
  isBroken = false
  // As a client does, because the machine may be too busy to store it in time.
  while (!(await send(ingest, project, [visit]).catch(() => undefined)));
  expect(await query(project, 'SELECT count() FROM persons')).toEqual([[1]])
})

test('groups store their properties, and events their groups', async () => {
  const project = ++projects
  const ingest = startProcess()
  const event = (name: string, properties: object, at: number) => ({
    uuid: uuid(),
    event: name,
    timestamp: new Date(BASE + at).toISOString(),
    properties: { distinct_id: 'ann', ...properties },
  })
  const batch = [
    event('buy', { $groups: { company: 'acme', team: 'red' } }, 3),
    event('$groupidentify', { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme', seats: 5 } }, 2),
    event('$groupidentify', { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Old' } }, 1),
    event('buy', { $groups: { company: 'acme', a: '1', b: '2', c: '3', d: '4' } }, 4),
  ]
  for (let times = 0; times < 2; times += 1) await deliver(ingest, project, batch)
  expect(
    await query(
      project,
      "SELECT $group_0, $group_1, group_0.properties.name, group_0.properties.seats + 1, group_1.key FROM events WHERE event = 'buy' ORDER BY timestamp LIMIT 1",
    ),
  ).toEqual([['acme', 'red', 'Acme', 6, 'red']])
  expect(
    await query(
      project,
      'SELECT index, key, properties, toString(created_at), toString(updated_at) FROM groups WHERE index < 2 ORDER BY index',
    ),
  ).toEqual([
    [0, 'acme', '{"name":"Acme","seats":5}', '2026-01-01 00:00:00.001', '2026-01-01 00:00:00.002'],
    [1, 'red', '{}', '2026-01-01 00:00:00.003', '2026-01-01 00:00:00.003'],
  ])
  expect(kinds.types).toEqual(['company', 'team', 'a', 'b', 'c'])
  expect(await query(project, 'SELECT count(), count(DISTINCT index) FROM groups')).toEqual([[5, 5]])
})

test('a batch whose facts cannot be stored is not acknowledged, and a retry stores events and facts', async () => {
  const project = ++projects
  let isBroken = true
  const ingest = startProcess(
    {
      ...storage,
      insert: (table, rows) =>
        isBroken && table === 'db.person_distinct_ids'
          ? storage.command('SELECT throwIf(1)')
          : storage.insert(table, rows),
    },
    FAILS_AFTER_MS,
  )
  const events = [referenceEvent('visit', 'anon', 1), referenceEvent('$identify', 'ann', 2, { other: 'anon' })]
  await expect(send(ingest, project, events)).rejects.toMatchObject({ code: 'engine_unavailable' })
  expect(await query(project, 'SELECT count() FROM events')).toEqual([[0]])
  isBroken = false
  await send(startProcess(), project, events)
  await expectPeople(project, events)
})

test('a repeated UUID with different content does not change any person', async () => {
  const project = ++projects
  const first = referenceEvent('$set', 'ann', 1, { set: { plan: 'first' } })
  await send(startProcess(), project, [first, { ...first, set: { plan: 'same batch' } }])
  await send(startProcess(), project, [
    { ...first, at: first.at + 5, set: { plan: 'again' } },
    { ...first, event: '$identify', other: 'anon' },
  ])
  expect(await query(project, 'SELECT properties, is_identified FROM persons')).toEqual([['{"plan":"first"}', false]])
})

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const value = fc.constantFrom<unknown>('x', 'y', 1, 22, true, null, { z: [1] })
const values = fc.dictionary(fc.constantFrom('p', 'q', 'r'), value, { maxKeys: 2, noNullPrototype: true })
const anySaid = fc.record({
  event: fc.constantFrom('visit', '$set', '$identify', '$identify', '$create_alias', '$merge_dangerously'),
  id,
  at: fc.integer({ min: 0, max: 12 }).map((ms) => BASE + ms),
  other: fc.option(id, { nil: undefined }),
  set: fc.option(values, { nil: undefined }),
  setOnce: fc.option(values, { nil: undefined }),
  unset: fc.option(fc.subarray(['p', 'q', 'r'], { maxLength: 2 }), { nil: undefined, freq: 3 }),
  isPersonless: fc.integer({ min: 0, max: 7 }).map((roll) => roll === 0),
})

test('persons equal the reference for any events in any order and batches, with repeats, through two concurrent processes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySaid, { minLength: 1, maxLength: 14 }),
      fc.infiniteStream(fc.nat()),
      async (given, dice) => {
        const random = () => dice.next().value!
        const project = ++projects
        const events = given.map((each) => ({ ...each, uuid: uuid() }))
        const repeated = [...events, ...events.filter(() => random() % 3 === 0)]
          .map((each) => [random(), each] as const)
          .sort(([a], [b]) => a - b)
          .map(([, each]) => each)
        const processes = [startProcess(), startProcess()]
        const sending: Promise<unknown>[] = []
        for (let at = 0; at < repeated.length;) {
          const batch = repeated.slice(at, (at += 1 + (random() % 5)))
          const answer = send(processes[random() % 2]!, project, batch)
          sending.push(answer)
          if (random() % 2) await answer
        }
        await Promise.all(sending)
        await expectPeople(project, events)
      },
    ),
    { numRuns: randomRuns(12) },
  )
})

test('background merges in the engine do not change persons', async () => {
  const project = ++projects
  const events = Array.from({ length: 40 }, (_, n) =>
    referenceEvent(n % 5 ? 'visit' : '$identify', `user ${n % 7}`, n % 11, {
      other: `anon ${n % 3}`,
      set: { n },
      setOnce: { first: n },
      ...(n % 9 ? {} : { unset: ['first'] }),
    }),
  )
  for (const each of events) await send(startProcess(), project, [each])
  await expectPeople(project, events)
  for (const table of ['person_properties', 'person_merges', 'person_distinct_ids', 'group_properties'])
    await engine.command(`OPTIMIZE TABLE db.${table} FINAL`)
  await expectPeople(project, events)
})

const LIMITS = { maxSeconds: 60, maxMemoryBytes: 1e9 }

/** Returns the person of each id. */
const ownersIn = async (project: number) =>
  new Map(
    (await query(project, 'SELECT distinct_id, toString(person_id) FROM person_distinct_ids')) as [string, string][],
  )

/**
 * Erases the person of `id`, and checks the other persons after each statement. The engine deletes rows from one part of a table
 * after the other, so a deletion of owners is checked in between too. `steps`: how many statements run. Returns the erased ids.
 */
const erase = async (project: number, id: string, steps = Infinity): Promise<ReadonlySet<string>> => {
  const before = await ownersIn(project)
  const person = before.get(id)
  const own = new Set([id, ...[...before].flatMap(([each, of]) => (of === person ? [each] : []))])
  const others = [...before].filter(([each]) => !own.has(each)).sort()
  let left = steps
  const step = async (work: () => Promise<unknown>) => {
    if (left === 0) throw new Error('killed')
    left -= 1
    await work()
    const now = await ownersIn(project)
    expect([...now].filter(([each]) => !own.has(each)).sort()).toEqual(others)
    const persons = new Set(others.map(([, of]) => of))
    expect([...own].filter((each) => persons.has(now.get(each) ?? ''))).toEqual([])
  }
  const watched: Pick<Storage, 'rows' | 'insert' | 'remove'> = {
    ...storage,
    insert: (...given) => step(() => storage.insert(...given)),
    async remove(removal, limits) {
      if (removal.table === 'person_distinct_ids')
        await step(() => storage.remove({ ...removal, where: `(${removal.where}) AND version > 1` }, limits))
      await step(() => storage.remove(removal, limits))
    },
  }
  const forget = createForgetPerson(watched, createPersonFacts(watched))
  await forget(project, [...own]).catch((error: Error) => {
    if (error.message !== 'killed') throw error
  })
  return own
}

test('erasing a person changes no other person, at any of its steps', async () => {
  const project = ++projects
  const ingest = startProcess()
  // The visitor belongs to this person until an earlier event arrives late.
  await send(ingest, project, [referenceEvent('$identify', 'ada', 8, { other: 'anon' })])
  await send(ingest, project, [
    referenceEvent('$identify', 'erased', 1, { other: 'anon' }),
    referenceEvent('$identify', 'ada', 2, { other: 'laptop' }),
    referenceEvent('$create_alias', 'ada', 3, { other: 'erased' }),
    referenceEvent('$identify', 'ada', 4, { other: 'phone' }),
    referenceEvent('$create_alias', 'bob', 5, { other: 'ada' }),
    ...['ada', 'laptop', 'phone', 'bob'].map((each) => referenceEvent('visit', each, 6)),
  ])
  const people = async () => sorted(await peopleIn(project)).flatMap(({ ids }) => (ids.includes('erased') ? [] : [ids]))
  expect(await people()).toEqual([['ada', 'laptop', 'phone'], ['bob']])
  await erase(project, 'anon')
  // A later fact computes all owners again.
  await send(ingest, project, [referenceEvent('$identify', 'bob', 7, { other: 'someone' })])
  await engine.command('OPTIMIZE TABLE db.person_distinct_ids FINAL')
  expect(await people()).toEqual([['ada', 'laptop', 'phone'], ['bob']])
})

test('persons equal the reference when any of them are erased, also if an erasure is killed at any step and repeated', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ said: fc.array(anySaid, { minLength: 1, maxLength: 8 }), id, steps: fc.nat(8) }), { minLength: 2, maxLength: 3 }), // prettier-ignore
      async (rounds) => {
        const project = ++projects
        const ingest = startProcess()
        let events: ReferenceEvent[] = []
        for (const { said, id: erased, steps } of rounds) {
          const more = said.map((each) => ({ ...each, uuid: uuid() }))
          await send(ingest, project, more)
          events.push(...more)
          const own = await erase(project, erased, steps)
          await erase(project, erased)
          await engine.command('OPTIMIZE TABLE db.person_distinct_ids FINAL')
          events = events
            .filter((each) => !own.has(each.id))
            .map((each) => (own.has(each.other ?? '') ? { ...each, other: '' } : each))
          const params = { projectId: project, ids: [...own] }
          await storage.remove({ table: 'events', where: 'distinct_id IN {ids:Array(String)}', params }, LIMITS)
          await expectPeople(project, events)
        }
      },
    ),
    { numRuns: randomRuns(3) },
  )
})
