import { breakdownsOf } from '../insights/shared.ts'
import type { InsightQuery } from '../insights/insights.ts'
import type { Expression, Query, Select, SelectItem } from '../../sql/parse/ast.ts'

const EMAIL = /(^|[^a-z])e[-_ ]?mail([-_ ]?(address|addr|id|hash))?$/

/** Whether a name is that of an e-mail address, such as `user_email` or `contactEmail`. */
export const isEmailName = (name: string): boolean =>
  EMAIL.test(name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase())

/** Tables whose rows are people. */
const PEOPLE: ReadonlySet<string> = new Set(['persons', 'person_distinct_ids'])
/** Columns that identify a person or a session, or contain everything that an event has. */
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'distinct_id',
  'person_id',
  '$session_id',
  'session_id',
  '$window_id',
  'properties',
  'elements_chain',
])
const COUNTS = /^(count|uniq)/i
const READS_JSON = /^(JSONExtract|simpleJSON|visitParam)/i

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

const walk = (node: unknown, visit: (node: Node) => void): void => {
  if (!isNode(node)) return
  visit(node)
  Object.values(node).forEach((each) => walk(each, visit))
}

const lastOf = (expression: Node): string | undefined =>
  expression.kind === 'field' ? (expression.path as readonly { text: string }[]).at(-1)?.text : undefined

const outermost = (query: Query): readonly Select[] =>
  query.kind === 'select' ? [query] : [query.first, ...query.rest.map((each) => each.query)].flatMap(outermost)

const nameOfCall = (node: Node): string => (node.kind === 'call' ? (node.name as { text: string }).text : '')

/** Whether a node reads one property, by its name. */
const readsOneProperty = (node: Node): boolean => {
  const args = (node.args ?? []) as readonly Expression[]
  return node.kind === 'index'
    ? lastOf(node.of as Node) === 'properties' && (node.at as Node).kind === 'text'
    : READS_JSON.test(nameOfCall(node)) && args.length === 2 && args[1]!.kind === 'text'
}

/** Returns the names of columns and properties that a node reads. */
const namesReadBy = (node: Node): readonly string[] => [
  ...(node.kind === 'field' ? (node.path as readonly { text: string }[]).map(({ text }) => text) : []),
  ...(node.kind === 'index' && (node.at as Node).kind === 'text' ? [(node.at as Node).value as string] : []),
  ...(node.kind === 'member' ? [node.name as string] : []),
  ...(READS_JSON.test(nameOfCall(node))
    ? (node.args as readonly Expression[]).flatMap((each) => (each.kind === 'text' ? [each.value] : []))
    : []),
]

/** Returns the names of columns and properties that a query reads. */
export const namesIn = (query: Query): ReadonlySet<string> => {
  const names = new Set<string>()
  walk(query, (node) => namesReadBy(node).forEach((name) => names.add(name)))
  return names
}

/** Kinds of expressions that are true or false. */
const TESTS: ReadonlySet<unknown> = new Set(['compare', 'match', 'isNull', 'in', 'between', 'logic', 'not'])

/** Whether an expression has a value of one of the names, other than by counting. */
const reveals = (node: unknown, names: ReadonlySet<string>): boolean => {
  if (!isNode(node)) return false
  if (Array.isArray(node)) return node.some((each) => reveals(each, names))
  const name = lastOf(node)
  if (name !== undefined) return names.has(name)
  if (node.kind === 'subquery')
    return outermost(node.query as Query).some(({ items }) => items.some(({ value }) => reveals(value, names)))
  if (TESTS.has(node.kind) || COUNTS.test(nameOfCall(node)) || readsOneProperty(node)) return false
  return Object.values(node).some((each) => reveals(each, names))
}

const selectsIn = (query: unknown): readonly Select[] => {
  const found: Select[] = []
  walk(query, (node) => node.kind === 'select' && found.push(node as unknown as Select))
  return found
}

const nameOfItem = ({ value, alias }: SelectItem): string | undefined => alias?.text ?? lastOf(value as unknown as Node)

/** Returns the names that a query gives to expressions. Columns of a union have the names of its first part. */
const namedIn = (query: Query): readonly { readonly name: string; readonly value: Expression }[] => {
  const unions: (readonly Select[])[] = []
  walk(
    query,
    (node) => (node.kind === 'set' || node.kind === 'select') && unions.push(outermost(node as unknown as Query)),
  )
  return [
    ...unions.flatMap(([first, ...others]) =>
      first!.items.flatMap((item, index) => {
        const name = nameOfItem(item)
        const values = [item, ...others.flatMap(({ items }) => items[index] ?? [])].map(({ value }) => value)
        return name === undefined ? [] : values.map((value) => ({ name, value }))
      }),
    ),
    ...selectsIn(query).flatMap(({ common, arrayJoin }) => [
      ...common.flatMap((part) => (part.kind === 'value' ? [{ name: part.name.text, value: part.value }] : [])),
      ...(arrayJoin?.items ?? []).map(({ value, alias }) => ({ name: alias.text, value })),
    ]),
  ]
}

/** Returns the identifiers and the names that other parts of the query give to them. */
const revealingNames = (query: Query): ReadonlySet<string> => {
  const names = new Set(IDENTIFIERS)
  const named = namedIn(query)
  for (let size = 0; size < names.size;) {
    size = names.size
    for (const { value, name } of named) if (reveals(value, names)) names.add(name)
  }
  return names
}

const ADVICE = 'Count them instead, or leave the tile out of the share.'

/** Returns why an SQL query must not be shown to others: it lists people, sessions or e-mail addresses. */
export const exposureOfSql = (query: Query): string | undefined => {
  const faults: string[] = []
  walk(query, (node) => {
    if (node.kind === 'table' && node.name && PEOPLE.has((node.name as { text?: string }).text ?? ''))
      faults.push(`reads the table "${(node.name as { text: string }).text}", whose rows are people. ${ADVICE}`)
    const email = namesReadBy(node).find(isEmailName)
    if (email) faults.push(`reads "${email}", which looks like an e-mail address. Remove it, or leave the tile out.`)
  })
  const names = revealingNames(query)
  for (const { items } of outermost(query))
    for (const { value, alias } of items) {
      if (value.kind === 'star') faults.push('selects all columns with *. Name the columns that readers may see.')
      else if (reveals(value, names))
        faults.push(`shows ids of people or sessions, or all properties of events. ${ADVICE}`)
      else if (alias && isEmailName(alias.text)) faults.push(`has the column "${alias.text}". ${ADVICE}`)
    }
  return faults[0]
}

/** Returns why an insight must not be shown to others. */
export const exposureOfInsight = (query: InsightQuery): string | undefined => {
  if (query.kind === 'ActorsQuery') return 'lists people. Leave it out of the share.'
  const shown = breakdownsOf(query).find(({ key }) => isEmailName(key) || IDENTIFIERS.has(key))
  return shown && `breaks down by "${shown.key}", which identifies people. Use another breakdown, or leave it out.`
}
