import { AGGREGATES, COMBINATORS } from '../catalog/functions/aggregates.ts'
import { SCALARS } from '../catalog/functions/scalars.ts'
import { SYNONYMS } from '../catalog/functions/synonyms.ts'
import { WINDOW_FUNCTIONS } from '../catalog/functions/windows.ts'
import { CAST_FUNCTIONS } from '../catalog/kinds.ts'
import { call, text, type Sql } from '../catalog/physical.ts'
import { value, type Value } from '../catalog/value.ts'
import { parseSignature, type Signature } from './signature.ts'
import { own } from '../../lib/own.ts'

/** A function of the catalog, under the engine's name. */
export interface FoundFunction {
  readonly name: string
  readonly kind: 'scalar' | 'aggregate' | 'window'
  readonly signature: Signature
}

const now: Sql = { kind: 'call', name: 'now64', args: [{ kind: 'number', digits: '3' }, text('UTC')] }

/** Functions without arguments. The engine's functions of these names would use the server's time zone. */
export const CLOCK: Readonly<Record<string, Value>> = {
  now: value('time', now),
  current_timestamp: value('time', now),
  today: value('date', call('toDate', now)),
  yesterday: value('date', call('toDate', call('subtractDays', now, { kind: 'number', digits: '1' }))),
}

const TABLES = [
  ['scalar', SCALARS],
  ['aggregate', AGGREGATES],
  ['window', WINDOW_FUNCTIONS],
] as const

let byLowerCase: ReadonlyMap<string, string> | undefined

/** Returns the engine's name for a function written in any case or as a synonym. An unknown name is returned as it is. */
export const canonicalName = (written: string): string => {
  byLowerCase ??= new Map(
    [...TABLES.flatMap(([, table]) => Object.keys(table)), ...Object.keys(CAST_FUNCTIONS), ...Object.keys(CLOCK)].map(
      (name) => [name.toLowerCase(), name],
    ),
  )
  const lower = written.toLowerCase()
  return own(SYNONYMS, lower) ?? byLowerCase.get(lower) ?? written
}

/** Finds a function by its canonical name. `isOver`: window functions come first. */
export const lookUp = (name: string, isOver: boolean): FoundFunction | undefined => {
  if (isOver && Object.hasOwn(WINDOW_FUNCTIONS, name))
    return { name, kind: 'window', signature: parseSignature(own(WINDOW_FUNCTIONS, name)!) }
  for (const [kind, table] of TABLES) {
    if (Object.hasOwn(table, name)) return { name, kind, signature: parseSignature(own(table, name)!) }
  }
  return undefined
}

// Finds an aggregate with endings, such as `sumIf` or `countDistinctIf`. Endings are removed from the right.
const lookUpCombined = (written: string): FoundFunction | undefined => {
  for (const [ending, { takes, mayBeNull }] of Object.entries(COMBINATORS)) {
    if (written.length <= ending.length || !written.toLowerCase().endsWith(ending.toLowerCase())) continue
    const stem = written.slice(0, -ending.length)
    const base = lookUpCombined(stem) ?? lookUp(canonicalName(stem), false)
    if (base?.kind !== 'aggregate') continue
    const { signature } = base
    const isArray = ending === 'Array'
    const added = takes.map((word) => ({ word, isOptional: false, isRepeated: false }))
    const own = isArray ? signature.takes.map((each) => ({ ...each, word: 'array' })) : signature.takes
    const gives = isArray && signature.gives === 'same' ? 'unknown' : signature.gives
    return {
      name: `${base.name}${ending}`,
      kind: 'aggregate',
      signature: { ...signature, takes: [...own, ...added], gives, nulls: mayBeNull ? 'always' : signature.nulls },
    }
  }
  return undefined
}

/** Finds a function as a query writes it. `isOver`: it is followed by OVER. */
export const findFunction = (written: string, isOver: boolean): FoundFunction | undefined =>
  lookUp(canonicalName(written), isOver) ?? lookUpCombined(written)

/** Returns the names of all functions, so that one can be suggested. */
export const functionNames = (): readonly string[] => [
  ...TABLES.flatMap(([, table]) => Object.keys(table)),
  ...Object.keys(CAST_FUNCTIONS),
  ...Object.keys(CLOCK),
  'countDistinct',
]
