/** Identifiers that the editor completes. */
export interface SqlNames {
  readonly tables: readonly {
    readonly name: string
    readonly columns: readonly { readonly name: string; readonly type: string }[]
  }[]
  /** Rows related to an event and the tables with their columns. */
  readonly relations: readonly { readonly name: string; readonly table: string }[]
  readonly functions: readonly { readonly name: string; readonly kind: string; readonly signature: string }[]
  /** Properties of events and persons, most frequent first. */
  readonly eventProperties: readonly string[]
  readonly personProperties: readonly string[]
  readonly variables: readonly string[]
}

export interface SqlCompletion {
  readonly label: string
  /** The editor's name for the icon. */
  readonly type: 'class' | 'property' | 'function' | 'variable'
  readonly detail?: string
  /** Inserted text, if it differs from the label. */
  readonly apply?: string
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/
const quote = (name: string) => (PLAIN_NAME.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``)

const propertiesOf = (names: readonly string[]): readonly SqlCompletion[] =>
  names.map((label) => ({ label, type: 'property', apply: quote(label) }))

const columnsOf = (names: SqlNames, table: string): readonly SqlCompletion[] =>
  (names.tables.find(({ name }) => name === table)?.columns ?? []).map(({ name, type }) => ({
    label: name,
    type: 'property',
    detail: type,
  }))

/** Returns the tables that the text reads, by each name or alias with which the text can refer to them. */
const tablesIn = (sql: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const [, table, alias] of sql.matchAll(/\b(?:from|join)\s+([A-Za-z_]\w*)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?/gi)) {
    found.set(table!, table!)
    if (alias) found.set(alias, table!)
  }
  return found
}

/** Completions after `a.b.`: columns of a table, an alias or a relation, or names of properties. */
const completeMember = (path: readonly string[], sql: string, names: SqlNames): readonly SqlCompletion[] => {
  const [first = '', ...rest] = path
  const tables = tablesIn(sql)
  const last = path.at(-1)
  if (first === 'variables') return names.variables.map((label) => ({ label, type: 'variable' }))
  if (last === 'properties') {
    const owner = path.at(-2)
    const isOfPerson =
      owner === 'person' ||
      (owner ? tables.get(owner) : tables.size === 1 && tables.has('persons') ? 'persons' : '') === 'persons'
    return propertiesOf(isOfPerson ? names.personProperties : names.eventProperties)
  }
  const name = rest.at(-1) ?? first
  const relation = names.relations.find((each) => each.name === name)
  return columnsOf(names, relation?.table ?? tables.get(name) ?? name)
}

/**
 * Returns what can stand at a place of a query. `path` is the dotted name before the cursor without its last part: of
 * `person.properties.pl` it is `['person', 'properties']`.
 */
export const completionsFor = (path: readonly string[], sql: string, names: SqlNames): readonly SqlCompletion[] => {
  if (path.length > 0) return completeMember(path, sql, names)
  const read = new Set(tablesIn(sql).values())
  const columns = [...read].flatMap((table) => columnsOf(names, table))
  const relations = read.has('events') ? names.relations : []
  return [
    ...columns,
    ...relations.map(({ name, table }): SqlCompletion => ({ label: name, type: 'class', detail: `row of ${table}` })),
    ...names.tables.map(({ name }): SqlCompletion => ({ label: name, type: 'class', detail: 'table' })),
    ...names.functions.map(({ name, signature }): SqlCompletion => ({
      label: name,
      type: 'function',
      detail: signature,
      apply: `${name}(`,
    })),
  ]
}
