import { redactSecrets, redactUrls } from './redact'

/** Rewrites a string; `key` is the name of the property it stands under. */
export type RewriteText = (text: string, key: string) => string

// What one value may become: about half a megabyte of JSON, which is more than any honest event has. An application's
// component tree, reached through one object, has millions of nodes. An event is two values, its properties and its
// options, and the service rejects one of more than 16,000 keys and values.
const MAX_NODES = 2_500
const MAX_CHARACTERS = 500_000
const MAX_KEY_LENGTH = 255
// The service refuses what is nested deeper than 64.
const MAX_DEPTH = 60

const TOO_LARGE = '[Too large]'
const THROWS = '[Throws]'

// Ids are sent exactly as they are: a rewritten one would name somebody else.
const IDS = /(^|_)id$|^(\$group(s|_key)|alias|token)$/

// Each row reads members of its own kind of object: its tag says which.
type Convert = (value: never, tag: string) => unknown

const firstOf = <T>(values: Iterable<T>): T[] => {
  const result: T[] = []
  for (const each of values) if (result.push(each) > MAX_NODES) break
  return result
}

/** Objects that are not a bag of properties, by `Object.prototype.toString`, which also knows those of other frames. */
const CONVERSIONS: readonly (readonly [tag: RegExp, convert: Convert])[] = [
  [/Array$|^Set$/, firstOf],
  [/^Map$/, (map: Map<string, unknown>) => Object.fromEntries(firstOf(map))],
  [/^Date$/, (date: Date) => (isNaN(+date) ? null : date.toISOString())],
  [/^Error$|Exception$/, ({ name, message }: Error) => `${name}: ${message}`],
  [/Window|Document|Element$|Node|Event$/, (_, tag) => `[object ${tag}]`],
]

/** The value that stands for an object in JSON: a primitive, an array, or an object whose own properties count. */
const convert = (value: object): unknown => {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const conversion = tag !== 'Object' && CONVERSIONS.find(([tags]) => tags.test(tag))
  if (conversion) return conversion[1](value as never, tag)
  const { toJSON } = value as Record<string, unknown>
  // A class's own, not one that a page has given to all objects.
  return typeof toJSON === 'function' && toJSON !== (Object.prototype as { toJSON?: unknown }).toJSON
    ? toJSON.call(value)
    : value
}

/** A container whose members are still to be copied. */
interface Visit {
  origin: unknown
  /** What `origin` was converted to, and the names of its members. */
  source: Record<string, unknown>
  names: string[]
  copy: Record<string, unknown>
  /** Where the copy stands in the parent's. */
  slot: string
  isId?: boolean
  depth: number
  parent?: Visit
}

/**
 * Returns a copy of `value` that is safe to turn into JSON, whatever the page passed; strings but ids go through `rewrite`.
 *
 * Dates and URLs become strings, maps objects, sets and typed arrays arrays, errors their name and message, BigInts
 * strings; functions, symbols and undefined are left out. What contains itself reads `[Circular]`, what throws when it
 * is read `[Throws]`. The copy goes level by level, so that of a value over the budget the deepest levels are cut: the
 * place of each cut reads `[Too large]`.
 */
export const serialize = (value: unknown, rewrite: RewriteText = (text) => text): unknown => {
  let nodes = MAX_NODES
  let characters = MAX_CHARACTERS
  const root: Record<string, unknown> = {}
  const visits: Visit[] = [{ origin: root, source: { '': value }, names: [''], copy: root, slot: '', depth: 0 }]

  const copyOf = (item: unknown, slot: string, parent: Visit): unknown => {
    const isId = parent.isId || IDS.test(slot)
    if (typeof item === 'string') {
      const text = isId ? item : rewrite(item, slot)
      if (text.length > characters) return TOO_LARGE
      characters -= text.length
      return text
    }
    if (typeof item === 'bigint') return String(item)
    if (typeof item === 'function' || typeof item === 'symbol') return undefined
    if (typeof item !== 'object' || !item) return item
    for (let at: Visit | undefined = parent; at; at = at.parent) if (at.origin === item) return '[Circular]'
    const depth = parent.depth + 1
    if (depth > MAX_DEPTH) return TOO_LARGE
    const source = convert(item) as Visit['source']
    if (typeof source !== 'object' || !source) return copyOf(source, slot, parent)
    const copy = (Array.isArray(source) ? [] : {}) as Visit['copy']
    visits.push({ origin: item, source, names: Object.keys(source), copy, slot, isId, depth, parent })
    return copy
  }

  for (let index = 0; index < visits.length; index++) {
    const visit = visits[index]!
    const { source, copy, names, parent } = visit
    for (const name of names) {
      // Set, it would replace the copy's prototype. What React adds to components and elements leads to the whole page.
      if (/^(__proto__|_owner)$|^__?react/.test(name)) continue
      const slot = name.slice(0, MAX_KEY_LENGTH)
      if (nodes <= 0 || characters < 0) {
        if (name === names[0]) parent!.copy[visit.slot] = TOO_LARGE
        else copy[slot] = TOO_LARGE
        break
      }
      nodes -= 1
      characters -= slot.length
      try {
        const member = copyOf(source[name], slot, visit)
        if (member !== undefined || Array.isArray(copy)) copy[slot] = member ?? null
      } catch {
        copy[slot] = THROWS
      }
    }
  }
  return root['']
}

/** The date that `serialize` wrote as a string; undefined for anything else. */
export const toDate = (value: unknown): Date | undefined => {
  const date = new Date(typeof value === 'string' ? value : NaN)
  return isNaN(+date) ? undefined : date
}

/**
 * How strings of an event are rewritten: no longer than `maxLength`, and without values of secret parameters. What the
 * page tells, under the protocol's names, is also without numbers that URLs should not carry; a caller's own stay.
 */
export const propertyText =
  (maxLength: () => number): RewriteText =>
  (text, key) =>
    (key[0] === '$' || key === 'title' ? redactUrls : redactSecrets)(text.slice(0, maxLength()))
