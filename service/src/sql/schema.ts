import { AGGREGATES } from './catalog/functions/aggregates.ts'
import { SCALARS } from './catalog/functions/scalars.ts'
import { WINDOW_FUNCTIONS } from './catalog/functions/windows.ts'
import { CAST_FUNCTIONS } from './catalog/kinds.ts'
import { type Column, RELATED, TABLES } from './catalog/tables.ts'

/** Tables, columns and functions that SQL queries may use. */
export interface SqlSchema {
  readonly tables: readonly {
    readonly name: string
    readonly columns: readonly { readonly name: string; readonly type: string }[]
  }[]
  /** Rows related to an event, such as `person`, and the tables that have their columns. */
  readonly relations: readonly { readonly name: string; readonly table: string }[]
  readonly functions: readonly {
    readonly name: string
    readonly kind: 'scalar' | 'aggregate' | 'window'
    /** Parameter types, `->` and the result type. */
    readonly signature: string
  }[]
}

const columnsOf = (columns: Readonly<Record<string, Column>>) =>
  Object.entries(columns).map(([name, { kind }]) => ({ name, type: kind }))

const functionsOf = (kind: 'scalar' | 'aggregate' | 'window', signatures: Readonly<Record<string, string>>) =>
  Object.entries(signatures).map(([name, signature]) => ({ name, kind, signature: signature.replaceAll('!', '') }))

/** Returns the tables, columns and functions of SQL queries, for editors. It is the same for all projects. */
export const sqlSchema = (): SqlSchema => ({
  tables: Object.entries(TABLES).map(([name, columns]) => ({ name, columns: columnsOf(columns) })),
  relations: Object.entries(RELATED).map(([name, table]) => ({ name, table })),
  functions: [
    ...functionsOf('aggregate', AGGREGATES),
    ...functionsOf('scalar', SCALARS),
    ...Object.entries(CAST_FUNCTIONS).map(([name, type]) => ({
      name,
      kind: 'scalar' as const,
      signature: `any -> ${type}`,
    })),
    ...functionsOf('window', WINDOW_FUNCTIONS),
  ],
})
