type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns `value` changed by a JSON Merge Patch: objects merge at every level, null removes a field, and anything else, such as a
 * list, replaces what was there. https://www.rfc-editor.org/rfc/rfc7396
 */
export const mergePatch = (value: unknown, patch: unknown): unknown => {
  if (!isFields(patch)) return patch
  const fields = new Map(Object.entries(isFields(value) ? value : {}))
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) fields.delete(name)
    else fields.set(name, mergePatch(fields.get(name), change))
  }
  return Object.fromEntries(fields)
}
