/** The value of a JSON text; undefined for anything else. */
export const parseJson = (text: unknown): unknown => {
  try {
    return JSON.parse(text as string)
  } catch {
    return undefined
  }
}

export const isPlainObject = (value: unknown): value is object & Record<string, unknown> => typeof value === 'object' && !!value && !Array.isArray(value)
