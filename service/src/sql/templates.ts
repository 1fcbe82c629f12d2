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

/** Output for some values of the variables. It fits all values with the same facts. */
export interface Fitted {
  readonly facts: readonly Fact[]
  /** Size, for the bounds of a store. */
  readonly characters: number
}

/** A compiled text, and how its parameters follow from the variables. */
export interface Template extends Fitted, Pick<Compiled, 'text' | 'keyCount'> {
  /** The values of other parameters. */
  readonly params: Compiled['params']
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
  const { facts } = dependencies
  return { text, keyCount, params: Object.fromEntries(others), facts, derived, characters: text.length }
}

export type Variables = Readonly<Record<string, BoundValue>>

const acceptedOf = (variables: Variables, name: string): Plain | undefined => {
  const bound = own(variables, name)
  return bound && VARIABLE_TYPES[bound.type].accept(bound.value)
}

/**
 * Returns a function that computes the values of `derived` from the variables. `undefined`: the variables have other `facts`, or values
 * that their types do not accept.
 */
export const valuesFor = (
  facts: readonly Fact[],
  derived: readonly Derived[],
  variables: Variables,
): ((of: Derived) => Plain) | undefined => {
  const values = new Map<string, Plain | undefined>()
  for (const { variable } of [...facts, ...derived])
    if (!values.has(variable)) values.set(variable, acceptedOf(variables, variable))
  for (const value of values.values()) if (value === undefined) return undefined
  const valueOf = ({ variable, convert }: Derived): Plain => convert(values.get(variable)!)
  return facts.every((fact) => Object.is(fact.question(valueOf(fact)), fact.answer)) ? valueOf : undefined
}

/** Returns a template's text with the values of the variables, or `undefined` if it does not fit them. */
export const fill = (
  { text, params, keyCount, facts, derived }: Template,
  variables: Variables,
): Compiled | undefined => {
  const valueOf = valuesFor(
    facts,
    derived.map(([, of]) => of),
    variables,
  )
  if (!valueOf) return undefined
  const filled = Object.fromEntries(derived.map(([placeholder, of]) => [placeholder, valueOf(of)]))
  return Object.freeze({ text, params: Object.freeze({ ...params, ...filled }), keyCount })
}

const MAX_BYTES = 8_000_000
// A query whose values are part of the text would otherwise displace all others.
const MAX_PER_KEY = 8
// Facts and the entry itself.
const ENTRY_BYTES = 2_000
const BYTES_PER_CHARACTER = 2

const charactersOf = ({ characters, facts }: Fitted): number =>
  facts.reduce((sum, { answer }) => sum + String(answer).length, characters)

const bytesOf = (key: string, list: readonly Fitted[]): number =>
  list.reduce(
    (sum, item) => sum + charactersOf(item) * BYTES_PER_CHARACTER + ENTRY_BYTES,
    key.length * BYTES_PER_CHARACTER,
  )

/** Creates a store that keeps what was used last. `fit` returns an item for the values of the variables. */
export const createFittedStore = <Item extends Fitted, Filled>(
  fit: (item: Item, variables: Variables) => Filled | undefined,
  { maxBytes = MAX_BYTES } = {},
) => {
  /** Ordered by last use, as are the items of a key. */
  const kept = new Map<string, readonly Item[]>()
  let bytes = 0

  const forget = (key: string) => {
    bytes -= bytesOf(key, kept.get(key) ?? [])
    kept.delete(key)
  }

  return {
    find(key: string, variables: Variables): Filled | undefined {
      const list = kept.get(key)
      if (!list) return undefined
      for (const item of list) {
        const filled = fit(item, variables)
        if (filled === undefined) continue
        kept.delete(key)
        kept.set(key, [item, ...list.filter((each) => each !== item)])
        return filled
      }
      return undefined
    },
    keep(key: string, item: Item) {
      const list = [item, ...(kept.get(key) ?? [])].slice(0, MAX_PER_KEY)
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
