import { createEpochs } from '../../src/endpoints/epochs.ts'
import { createOwnerChanges } from '../../src/endpoints/ownerChanges.ts'

const PROJECT = 1
const ids = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

test('changes are known while they have at most 1,000 ids together, and older ones are forgotten', async () => {
  const changes = createOwnerChanges({ epochs: createEpochs(), isAlone: true })
  const change = async (changed: readonly string[]) => {
    await changes.begin(PROJECT, true)
    await changes.end(PROJECT, changed)
    return changes.of(PROJECT)
  }
  const first = await change(ids(600, 'a'))
  expect(changes.between(PROJECT, 0, first)).toHaveLength(600)
  const second = await change(ids(400, 'b'))
  expect(changes.between(PROJECT, 0, second)).toHaveLength(1_000)
  const third = await change(ids(1, 'c'))
  expect(changes.between(PROJECT, 0, first)).toBeUndefined()
  expect(changes.between(PROJECT, first, third)).toHaveLength(401)
  const fourth = await change(ids(1_001, 'd'))
  expect(changes.between(PROJECT, third, fourth)).toBeUndefined()
  expect(changes.between(PROJECT, first, second)).toBeUndefined()
})
