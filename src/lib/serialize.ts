import { isoTime } from './isoTime'
import { redactSecrets, redactUrls } from './redact'

/** Rewrites a string. `key`: the name of its property. */
export type RewriteText = (text: string, key: string) => string

// The budget of one value, about half a megabyte of JSON. Real events are smaller, but a component tree that is passed
// by accident has millions of nodes. An event is two values, its properties and its options, and the service rejects one
// with more than 16,000 keys and values.
const MAX_NODES = 2_500
const MAX_CHARACTERS = 500_000
const MAX_KEY_LENGTH = 255
// The service rejects deeper nesting.
const MAX_DEPTH = 60

const TOO_LARGE = '[Too large]'
const THROWS = '[Throws]'

// Ids are never rewritten, because that would make them another id.
const IDS = /(^|_)id$|^(\$group(s|_key)|alias|token)$/

// Each row handles the objects of one tag.
type Convert = (value: never, tag: string) => unknown

const firstOf = <T>(values: Iterable<T>): T[] => {
  const result: T[] = []
  for (const each of values) if (result.push(each) > MAX_NODES) break
  return result
}

/** Built-in objects, by `Object.prototype.toString`, which also works for objects of other frames. */
const CONVERSIONS: readonly (readonly [tag: RegExp, convert: Convert])[] = [
  [/Array$|^Set$/, firstOf],
  [/^Map$/, (map: Map<string, unknown>) => Object.fromEntries(firstOf(map))],
  [/^Date$/, (date: Date) => (isNaN(+date) ? null : isoTime(date))],
  [/^Error$|Exception$/, ({ name, message }: Error) => `${name}: ${message}`],
  [/Window|Document|Element$|Node|Event$/, (_, tag) => `[object ${tag}]`],
]

/** Returns what an object becomes in JSON: a primitive, an array, or an object with own properties. */
const convert = (value: object): unknown => {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const conversion = tag !== 'Object' && CONVERSIONS.find(([tags]) => tags.test(tag))
  if (conversion) return conversion[1](value as never, tag)
  const { toJSON } = value as Record<string, unknown>
  // A method of its class, not one that the page has added to all objects.
  return typeof toJSON === 'function' && toJSON !== (Object.prototype as { toJSON?: unknown }).toJSON
    ? toJSON.call(value)
    : value
}

/** An object or array whose members are still to be copied. */
interface Visit {
  origin: unknown
  /** What `origin` was converted to, and the names of its members. */
  source: Record<string, unknown>
  names: string[]
  copy: Record<string, unknown>
  /** Key of the copy in its parent. */
  slot: string
  isId?: boolean
  depth: number
  parent?: Visit
}

/**
 * Returns a copy of any `value` that is safe to convert to JSON. `rewrite` is applied to strings other than ids.
 *
 * Dates, URLs and BigInts become strings, maps become objects, sets and typed arrays become arrays, and errors become
 * their name and message. Functions, symbols and undefined are left out. A cycle becomes `[Circular]`, a getter that throws `[Throws]`.
 * Copies level by level, so that the deepest levels of a value over the budget are cut: each cut becomes `[Too large]`.
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
      // `__proto__` would replace the copy's prototype. React's properties of components and elements lead to the whole page.
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

/** Returns the date that `serialize` has written as a string; undefined for anything else. */
export const toDate = (value: unknown): Date | undefined => {
  const date = new Date(typeof value === 'string' ? value : NaN)
  return isNaN(+date) ? undefined : date
}

/**
 * Returns a function that rewrites strings of events: cut to `maxLength` and without values of secret parameters. Strings
 * of the page, under the protocol's names, also lose sensitive numbers in URLs; those of callers keep them.
 */
export const propertyText =
  (maxLength: () => number): RewriteText =>
  (text, key) =>
    (key[0] === '$' || key === 'title' ? redactUrls : redactSecrets)(text.slice(0, maxLength()))
