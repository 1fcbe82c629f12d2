import { createStoredProperties } from '../../src/persons/storedProperties.ts'
import { NO_CALLER, type Statement } from '../../src/storage/storage.ts'

const question = (projectId: number) => ({
  projectId,
  distinctId: 'ada',
  names: ['plan'],
  groups: {},
  signal: NO_CALLER,
})

test('a slow property lookup of one project does not delay lookups of another', async () => {
  const slow = new Promise<never>(() => {})
  const rows = <Row>({ params }: Statement): Promise<Row[]> =>
    params!.projectId === 1
      ? slow
      : Promise.resolve(
          (params!.names
            ? [{ id: 'ada', name: 'plan', set: [1, '"gold"'], first: [0, ''], last: [0, ''] }]
            : []) as Row[],
        )
  const stored = createStoredProperties({ rows }, { groupTypes: { list: async () => [] } } as never)
  void stored(question(1))
  // The lookup of the first project is running when the second is requested.
  await Promise.resolve()
  expect((await stored(question(2))).person).toEqual({ plan: 'gold' })
  expect((await stored(question(2))).person).toEqual({ plan: 'gold' })
})

test('property lookups of a project that arrive during another are batched', async () => {
  const asked: unknown[] = []
  const rows = async <Row>({ params }: Statement): Promise<Row[]> => {
    asked.push(params!.ids)
    await new Promise((next) => setTimeout(next, 5))
    return []
  }
  const stored = createStoredProperties({ rows }, { groupTypes: { list: async () => [] } } as never)
  const ids = ['a', 'b', 'c', 'd']
  await Promise.all(ids.map((distinctId) => stored({ ...question(1), distinctId })))
  expect(asked).toEqual([['a'], ['a'], ['b', 'c', 'd'], ['b', 'c', 'd']])
})
