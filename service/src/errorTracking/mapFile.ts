import { gunzipSync } from 'node:zlib'
import {
  FlattenMap,
  isIgnored,
  originalPositionFor,
  sourceContentFor,
  type TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping'
import { countValues } from '../lib/countValues.ts'

/** A position in a built file. Both start at 1. */
export interface BuiltPosition {
  readonly line: number
  readonly column: number
}

/** A position in a source. Both start at 1. */
export interface SourcePosition {
  /** Path of the source. */
  readonly source: string
  readonly line: number
  readonly column: number
  /** Name at the position before it was minified: that of the function called there. '': unknown. */
  readonly name: string
  /** Whether the source is of a library. */
  readonly isLibrary: boolean
  /** undefined: the map does not have the source's text. */
  readonly text:
    | { readonly line: string; readonly before: readonly string[]; readonly after: readonly string[] }
    | undefined
}

/** Maximum bytes of a source map, uncompressed. */
export const MAX_MAP_BYTES = 64 * 1024 * 1024
/** Maximum keys and values of its JSON. */
export const MAX_MAP_VALUES = 1_000_000
/** Maximum mappings, and lines of the built file. A minified file of 8 MB has about as many. */
export const MAX_MAPPINGS = 2_000_000
// What the decoded form of a mapping takes.
const MAPPING_BYTES = 90
const CONTEXT_LINES = 5
const MAX_LINE = 300

/** A source map that was opened. */
export interface OpenedMap {
  readonly map: TraceMap
  /** Bytes of memory that it takes once it is used. */
  readonly size: number
}

/** Returns the bytes of a source map. Throws if they are not gzip, or more than the maximum. */
export const unzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes, { maxOutputLength: MAX_MAP_BYTES })

const [COMMA, SEMICOLON] = [0x2c, 0x3b]

/** Counts the mappings and lines of a map and its sections. Each takes an array when they are decoded. */
const countMappings = (map: unknown): number => {
  const { mappings, sections } = (map ?? {}) as { readonly mappings?: unknown; readonly sections?: unknown }
  let count = 0
  if (typeof mappings === 'string')
    for (let at = 0; at < mappings.length; at += 1) {
      const code = mappings.charCodeAt(at)
      if (code === COMMA || code === SEMICOLON) count += 1
    }
  if (Array.isArray(sections))
    for (const section of sections) count += countMappings((section as { map?: unknown } | null)?.map)
  return count
}

/** Opens a source map, also one with sections. Throws an error that says what is wrong with it. */
export const openMap = (bytes: Buffer): OpenedMap => {
  if (countValues(bytes) > MAX_MAP_VALUES) throw new Error(`it has more than ${MAX_MAP_VALUES} keys and values`)
  const map = JSON.parse(bytes.toString()) as Record<string, unknown>
  if (map === null || typeof map !== 'object' || map.version !== 3) throw new Error('"version" is not 3')
  if (!Array.isArray(map.sections) && (typeof map.mappings !== 'string' || !Array.isArray(map.sources)))
    throw new Error('it has neither "sources" and "mappings" nor "sections"')
  const mappings = countMappings(map)
  if (mappings > MAX_MAPPINGS)
    throw new Error(`it has more than ${MAX_MAPPINGS} mappings. Split the file into smaller chunks`)
  return { map: new FlattenMap(map as never), size: bytes.length + MAPPING_BYTES * mappings }
}

const shorten = (line: string) => line.slice(0, MAX_LINE)

/** Removes schemes and steps that bundlers add, so that a path is the same in every build: `webpack://app/./src/a.ts` is `src/a.ts`. */
const toPath = (source: string): string =>
  source
    .replace(/^webpack:\/\/[^/]*\//, '')
    .replace(/^[a-z][\w+.-]*:\/\/[^/]*\//i, '')
    .replace(/\?[^]*$/, '')
    .replace(/^(\.{0,2}\/)+/, '')

/** Returns the source of each position; null where the map has none. */
export const mapPositions = (map: TraceMap, positions: readonly BuiltPosition[]): (SourcePosition | null)[] => {
  const lines = new Map<string, readonly string[] | undefined>()
  const linesOf = (source: string) => {
    if (!lines.has(source)) lines.set(source, sourceContentFor(map, source)?.split(/\r?\n/))
    return lines.get(source)
  }
  return positions.map(({ line, column }) => {
    const built = Math.max(0, column - 1)
    const found = originalPositionFor(map, { line, column: built })
    if (found.source === null) return null
    const all = linesOf(found.source)
    const at = found.line - 1
    return {
      source: toPath(found.source),
      line: found.line,
      column: found.column + 1,
      // Otherwise it is the name of something before the position.
      name: traceSegment(map, line - 1, built)?.[0] === built ? (found.name ?? '') : '',
      isLibrary: /(^|\/)node_modules\//.test(found.source) || isIgnored(map, found.source),
      text: all && {
        line: shorten(all[at] ?? ''),
        before: all.slice(Math.max(0, at - CONTEXT_LINES), at).map(shorten),
        after: all.slice(at + 1, at + 1 + CONTEXT_LINES).map(shorten),
      },
    }
  })
}
