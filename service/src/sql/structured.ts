import { guarded } from './catalog/guard.ts'
import { infix, name, type SelectSql, type Sql } from './catalog/physical.ts'
import { isStructured } from './catalog/properties.ts'
import { EVENTS } from './catalog/tables.ts'
import { print } from './print/print.ts'

export type { IsPlain } from './catalog/properties.ts'

const timeOf = (instant: number): Sql => ({
  kind: 'parameter',
  type: "DateTime64(3, 'UTC')",
  value: new Date(instant).toISOString().replace('T', ' ').replace('Z', ''),
})

/**
 * Returns the statement that finds an event of a project with an object or an array in a property. `since`: among those that arrived then
 * or later.
 */
export const findStructured = (projectId: number, key: string, since: number | undefined) => {
  const is = name('e', 'is')
  const query: SelectSql = {
    kind: 'select',
    items: [{ value: { kind: 'number', digits: '1' }, name: 'found' }],
    from: {
      kind: 'named',
      name: 'e',
      query: guarded(EVENTS, [
        { value: isStructured(name('properties'), key), name: 'is' },
        { value: name('inserted_at'), name: 'seen' },
      ]),
    },
    where: since === undefined ? is : infix(is, 'AND', infix(name('e', 'seen'), '>=', timeOf(since))),
    limit: { kind: 'number', digits: '1' },
  }
  return print(query, projectId)
}
