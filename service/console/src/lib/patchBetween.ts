type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the JSON Merge Patch that turns `before` into `after`: what `after` lacks is null. https://www.rfc-editor.org/rfc/rfc7396 */
export const patchBetween = (before: unknown, after: unknown): unknown => {
  if (!isFields(before) || !isFields(after)) return after
  const removed = Object.keys(before).filter((name) => after[name] === undefined)
  return Object.fromEntries([
    ...removed.map((name) => [name, null]),
    ...Object.entries(after).map(([name, value]) => [name, patchBetween(before[name], value)]),
  ])
}
