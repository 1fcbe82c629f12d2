import type { Dependencies, Derived, Fact, Plain } from './catalog/constant.ts'
import { own } from '../lib/own.ts'
import { type BoundValue, VARIABLE_TYPES } from './resolve/variable.ts'

/** SQL for the engine. `params` are the values of the `{p0:Type}` placeholders in `text`. */
export interface Compiled {
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
  /** The number of key columns at the end of each row. */
  readonly keyCount: number
}

/** A compiled text, the facts about the variables that it depends on, and how its parameters follow from them. */
export interface Template extends Pick<Compiled, 'text' | 'keyCount'> {
  /** The values of other parameters. */
  readonly params: Compiled['params']
  readonly facts: readonly Fact[]
  readonly derived: readonly (readonly [placeholder: string, of: Derived])[]
}

export const templateOf = (
  { text, params, keyCount }: Compiled,
  names: ReadonlyMap<object, string>,
  dependencies: Dependencies,
): Template => {
  const derived = [...dependencies.derived].flatMap(([owner, of]) => {
    const placeholder = names.get(owner)
    return placeholder === undefined ? [] : [[placeholder, of] as const]
  })
  const others = Object.entries(params).filter(([name]) => !derived.some(([placeholder]) => placeholder === name))
  return { text, keyCount, params: Object.fromEntries(others), facts: dependencies.facts, derived }
}

type Variables = Readonly<Record<string, BoundValue>>

const acceptedOf = (variables: Variables, name: string): Plain | undefined => {
  const bound = own(variables, name)
  return bound && VARIABLE_TYPES[bound.type].accept(bound.value)
}

/** Returns a template's text with the values of the variables, or `undefined` if it does not fit them. */
export const fill = (
  { text, params, keyCount, facts, derived }: Template,
  variables: Variables,
): Compiled | undefined => {
  const values = new Map<string, Plain | undefined>()
  const valueOf = (name: string): Plain | undefined => {
    if (!values.has(name)) values.set(name, acceptedOf(variables, name))
    return values.get(name)
  }
  const isAccepted = [...facts, ...derived.map(([, of]) => of)].every(({ variable }) => valueOf(variable) !== undefined)
  if (
    !isAccepted ||
    !facts.every(({ variable, convert, question, answer }) => Object.is(question(convert(valueOf(variable)!)), answer))
  )
    return undefined
  const filled: Record<string, unknown> = { ...params }
  for (const [placeholder, { variable, convert }] of derived) filled[placeholder] = convert(valueOf(variable)!)
  return Object.freeze({ text, params: Object.freeze(filled), keyCount })
}

const MAX_BYTES = 8_000_000
// A query whose values are part of the text would otherwise displace all others.
const MAX_PER_KEY = 8
// Facts, parameters and the entry itself.
const TEMPLATE_BYTES = 2_000
const BYTES_PER_CHARACTER = 2

const charactersOf = ({ text, facts }: Template): number =>
  facts.reduce((sum, { answer }) => sum + String(answer).length, text.length)

const bytesOf = (key: string, list: readonly Template[]): number =>
  list.reduce(
    (sum, template) => sum + charactersOf(template) * BYTES_PER_CHARACTER + TEMPLATE_BYTES,
    key.length * BYTES_PER_CHARACTER,
  )

/** Creates a store of templates that keeps those that were used last. */
export const createTemplates = ({ maxBytes = MAX_BYTES } = {}) => {
  /** Ordered by last use, as are the templates of a key. */
  const kept = new Map<string, readonly Template[]>()
  let bytes = 0

  const forget = (key: string) => {
    bytes -= bytesOf(key, kept.get(key) ?? [])
    kept.delete(key)
  }

  return {
    find(key: string, variables: Variables): Compiled | undefined {
      const list = kept.get(key)
      if (!list) return undefined
      for (const template of list) {
        const filled = fill(template, variables)
        if (!filled) continue
        kept.delete(key)
        kept.set(key, [template, ...list.filter((each) => each !== template)])
        return filled
      }
      return undefined
    },
    keep(key: string, template: Template) {
      const list = [template, ...(kept.get(key) ?? [])].slice(0, MAX_PER_KEY)
      if (kept.has(key)) forget(key)
      kept.set(key, list)
      bytes += bytesOf(key, list)
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) return
        forget(oldest)
      }
    },
  }
}
