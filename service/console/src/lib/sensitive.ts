/** Text that is shown and exported in place of a sensitive value. */
export const MASK = '••••••'

const SENSITIVE = /password|passwd|token|secret|authorization|card/i

/** Whether values of a property with this name are masked. */
export const isSensitive = (name: string): boolean => SENSITIVE.test(name)

/** Returns a copy of JSON in which values with sensitive names are masked, at any depth. */
export const maskSensitive = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(maskSensitive)
  if (typeof value !== 'object' || value === null) return value
  // `fromEntries` defines properties, so a key `__proto__` stays data.
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isSensitive(name) ? MASK : maskSensitive(each)]),
  )
}

/** Returns the value of a property, masked if its name or a name inside it is sensitive. */
export const maskProperty = (name: string, value: unknown): unknown => (isSensitive(name) ? MASK : maskSensitive(value))

const MEMBER = /("(?:[^"\\]|\\.)*"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,}\]]+)/g

/** Returns JSON text with sensitive values masked. The text may be truncated. */
export const maskJsonText = (text: string): string => {
  try {
    return JSON.stringify(maskSensitive(JSON.parse(text)), null, 2)
  } catch {
    return text.replace(MEMBER, (member, name: string) => (isSensitive(name) ? `${name}"${MASK}"` : member))
  }
}
