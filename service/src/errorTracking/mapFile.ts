import { gunzipSync } from 'node:zlib'
import { FlattenMap, isIgnored, originalPositionFor, sourceContentFor, type TraceMap } from '@jridgewell/trace-mapping'

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
    { readonly line: string; readonly before: readonly string[]; readonly after: readonly string[] } | undefined
}

/** Maximum bytes of a source map, uncompressed. */
export const MAX_MAP_BYTES = 256 * 1024 * 1024
const CONTEXT_LINES = 5
const MAX_LINE = 300

/** Returns the bytes of a source map. Throws if they are not gzip, or more than the maximum. */
export const unzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes, { maxOutputLength: MAX_MAP_BYTES })

/** Opens a source map, also one with sections. Throws an error that says what is wrong with it. */
export const openMap = (text: string): TraceMap => {
  const map = JSON.parse(text) as Record<string, unknown>
  if (map === null || typeof map !== 'object' || map.version !== 3) throw new Error('"version" is not 3')
  if (!Array.isArray(map.sections) && (typeof map.mappings !== 'string' || !Array.isArray(map.sources)))
    throw new Error('it has neither "sources" and "mappings" nor "sections"')
  return new FlattenMap(map as never)
}

const shorten = (line: string) => line.slice(0, MAX_LINE)

/** Removes schemes and steps that bundlers add, so that a path is the same in every build: `webpack://app/./src/a.ts` is `src/a.ts`. */
const toPath = (source: string): string =>
  source
    .replace(/^webpack:\/\/[^/]*\//, '')
    .replace(/^[a-z][\w+.-]*:\/\/[^/]*\//i, '')
    .replace(/\?.*$/, '')
    .replace(/^(\.{0,2}\/)+/, '')

/** Returns the source of each position; null where the map has none. */
export const mapPositions = (map: TraceMap, positions: readonly BuiltPosition[]): (SourcePosition | null)[] => {
  const lines = new Map<string, readonly string[] | undefined>()
  const linesOf = (source: string) => {
    if (!lines.has(source)) lines.set(source, sourceContentFor(map, source)?.split(/\r?\n/))
    return lines.get(source)
  }
  return positions.map(({ line, column }) => {
    const found = originalPositionFor(map, { line, column: Math.max(0, column - 1) })
    if (found.source === null) return null
    const all = linesOf(found.source)
    const at = found.line - 1
    return {
      source: toPath(found.source),
      line: found.line,
      column: found.column + 1,
      name: found.name ?? '',
      isLibrary: /(^|\/)node_modules\//.test(found.source) || isIgnored(map, found.source),
      text: all && {
        line: shorten(all[at] ?? ''),
        before: all.slice(Math.max(0, at - CONTEXT_LINES), at).map(shorten),
        after: all.slice(at + 1, at + 1 + CONTEXT_LINES).map(shorten),
      },
    }
  })
}
