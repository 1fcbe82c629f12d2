import { breakdownsOf } from '../endpoints/insights/shared.ts'
import type { InsightQuery } from '../endpoints/insights/insights.ts'
import type { Expression, Query, Select } from '../sql/parse/ast.ts'

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

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

const walk = (node: unknown, visit: (node: Node) => void): void => {
  if (!isNode(node)) return
  visit(node)
  Object.values(node).forEach((each) => walk(each, visit))
}

const lastOf = (expression: Node): string | undefined =>
  expression.kind === 'field' ? (expression.path as readonly { text: string }[]).at(-1)?.text : undefined

/** Whether an expression has a value of one of the names, other than by counting. */
const reveals = (node: unknown, names: ReadonlySet<string>): boolean => {
  if (!isNode(node)) return false
  const name = lastOf(node)
  if (name !== undefined) return names.has(name)
  if (node.kind === 'index' && (node.at as Expression).kind === 'text') return false
  if (node.kind === 'call' && COUNTS.test((node.name as { text: string }).text)) return false
  if (node.kind === 'compare' || node.kind === 'isNull' || node.kind === 'in' || node.kind === 'subquery') return false
  return Object.values(node).some((each) =>
    Array.isArray(each) ? each.some((one) => reveals(one, names)) : reveals(each, names),
  )
}

const selectsIn = (query: unknown): readonly Select[] => {
  const found: Select[] = []
  walk(query, (node) => node.kind === 'select' && found.push(node as unknown as Select))
  return found
}

const outermost = (query: Query): readonly Select[] =>
  query.kind === 'select' ? [query] : [query.first, ...query.rest.map((each) => each.query)].flatMap(outermost)

/** Returns the identifiers and the names that other parts of the query give to them. */
const revealingNames = (selects: readonly Select[]): ReadonlySet<string> => {
  const names = new Set(IDENTIFIERS)
  const items = selects.flatMap((select) => [
    ...select.items.flatMap(({ value, alias }) => (alias ? [{ value, name: alias.text }] : [])),
    ...select.common.flatMap((part) => (part.kind === 'value' ? [{ value: part.value, name: part.name.text }] : [])),
    ...(select.arrayJoin?.items ?? []).map(({ value, alias }) => ({ value, name: alias.text })),
  ])
  for (let size = 0; size < names.size;) {
    size = names.size
    for (const { value, name } of items) if (reveals(value, names)) names.add(name)
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
    const parts = [
      ...(node.kind === 'field' ? (node.path as readonly { text: string }[]).map(({ text }) => text) : []),
      ...(node.kind === 'index' && (node.at as Node).kind === 'text' ? [(node.at as Node).value as string] : []),
      ...(node.kind === 'member' ? [node.name as string] : []),
      ...(node.kind === 'call' && /^JSONExtract|^simpleJSON|^visitParam/i.test((node.name as { text: string }).text)
        ? (node.args as readonly Expression[]).flatMap((each) => (each.kind === 'text' ? [each.value] : []))
        : []),
    ]
    const email = parts.find(isEmailName)
    if (email) faults.push(`reads "${email}", which looks like an e-mail address. Remove it, or leave the tile out.`)
  })
  const selects = selectsIn(query)
  const names = revealingNames(selects)
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
