type Fields = Record<string, unknown>

const strings = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])

const ofType = (fields: Fields, type: 'number' | 'string' | 'boolean', names: readonly string[]): Fields =>
  Object.fromEntries(names.flatMap((name) => (typeof fields[name] === type ? [[name, fields[name]]] : [])))

const stringsOf = (value: unknown): Fields | undefined =>
  value && typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'string'))
    : undefined

const NUMBERS =
  'status startTime endTime duration timestamp timeOrigin transferSize encodedBodySize decodedBodySize fetchStart domainLookupStart domainLookupEnd connectStart connectEnd requestStart responseStart responseEnd domInteractive domContentLoadedEventEnd domComplete loadEventEnd'.split(
    ' ',
  )

const request = (fields: Fields, isStrict: boolean): Fields => ({
  ...ofType(fields, 'string', ['name', 'method', 'initiatorType', 'entryType']),
  ...ofType(fields, 'number', NUMBERS),
  ...ofType(fields, 'boolean', ['isInitial']),
  ...(isStrict
    ? {}
    : {
        ...ofType(fields, 'string', ['requestBody', 'responseBody']),
        requestHeaders: stringsOf(fields.requestHeaders),
        responseHeaders: stringsOf(fields.responseHeaders),
      }),
})

/** Returns the payload of a plugin's event with its listed members only; undefined for an unknown plugin. */
export const shaped = (plugin: unknown, payload: unknown, isStrict: boolean): Fields | undefined => {
  const fields = (payload ?? {}) as Fields
  if (plugin === 'rrweb/console@1')
    return {
      level: /^(log|info|warn|error|debug)$/.exec(String(fields.level))?.[0] ?? 'log',
      payload: isStrict ? [] : strings(fields.payload),
      trace: [],
    }
  if (plugin === 'rrweb/network@1')
    return {
      requests: Array.isArray(fields.requests) ? fields.requests.map((each) => request(each as Fields, isStrict)) : [],
    }
  return undefined
}

/** Adds an event of a plugin to the recording. */
export type Emit = (plugin: string, payload: unknown) => void
