export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value if it is an object, otherwise an empty one. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** Returns the objects of a list. */
export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** Returns a value if it is a text, otherwise an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
