import type { TSchema } from '@sinclair/typebox'

/** Names of `Object.prototype`, which a lookup in a plain object finds. */
export const INHERITED = Object.getOwnPropertyNames(Object.prototype)

/** Texts of which nothing is visible. */
export const INVISIBLE = [' ', '\t\n', '\u00a0', '\u200b', '\u202e', '\u3164', '\u2800', '\ufeff\u2066', '\0']

/** Values that are rare where an id, a name or a text is expected, but may arrive. */
export const HOSTILE: readonly unknown[] = [
  ...INHERITED,
  ...INVISIBLE,
  '',
  'null',
  'undefined',
  '[object Object]',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\u202eevil\u202c',
  '<img src=x onerror=run()>',
  "'; DROP TABLE events --",
  '{x:String}',
  'x'.repeat(200_000),
  2 ** 53 + 2,
  1e300,
  -0,
  null,
  true,
  [],
  ['a', ['b']],
  {},
  { toString: 1, valueOf: 1, toJSON: 1 },
  { length: 1e9 },
  '1969-07-20T20:17:40Z',
  '2100-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
]

interface Parts extends TSchema {
  readonly anyOf?: readonly Parts[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Parts>>
  readonly patternProperties?: Readonly<Record<string, Parts>>
  readonly items?: Parts
}

/** Returns a value of the schema with `value` for its texts and, if `inEnums`, for what is one of a few. */
export const fill = (schema: Parts, value: unknown, inEnums: boolean): unknown => {
  const inner = (each: Parts) => fill(each, value, inEnums)
  if (schema.anyOf) return inner(schema.anyOf[0]!)
  if (schema.const !== undefined) return inEnums ? value : schema.const
  if (schema.enum) return inEnums ? value : schema.enum[0]
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, each]) => [name, inner(each)]))
  const [each] = Object.values(schema.patternProperties ?? {})
  if (each) return Object.fromEntries([[String(value), inner(each)]])
  if (schema.type === 'array') return schema.items ? [inner(schema.items)] : [value]
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'object') return Object.fromEntries([[String(value), value]])
  return value
}
