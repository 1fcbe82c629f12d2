import { createHash } from 'node:crypto'
import { decode, encode } from '@jridgewell/sourcemap-codec'

/** A source map, or one of its sections. Other members are kept. */
export interface SourceMap {
  version?: number
  sources?: (string | null)[]
  sourcesContent?: (string | null)[]
  mappings?: string
  sections?: { offset: { line: number; column: number }; map: SourceMap }[]
  debugId?: string
  debug_id?: string
  sourceRoot?: string
}

/** A built file with its debug id, and its source map shifted accordingly. */
export interface Injected {
  id: string
  code: string
  map: SourceMap
}

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
// The comment is in the last five lines (ECMA-426). `chunkId` is that of posthog-cli.
const COMMENT = new RegExp(`^//# (?:debugId|chunkId)=(${ID})\\s*$`, 'im')
const GLOBALS = /_debugIds|_posthogChunkIds|_sentryDebugIds/
const MAP_COMMENT = /^\/\/# sourceMappingURL=.*$/m

// A hashbang, comments and directives such as "use strict", which must stay first.
const PROLOGUE =
  /^(?:#![^\n]*\n)?(?:\s+|\/\/[^\n]*\n|\/\*[^]*?\*\/|(?:'use [^'\n]*'|"use [^"\n]*")\s*(?:;|(?=[\r\n])))*/

/** Code that stores the id by the stack of an error made in the file, where SDKs look for it. It has no line break. */
const snippet = (id: string): string =>
  `;!function(){try{var g=typeof globalThis<"u"?globalThis:self,s=(new g.Error).stack;s&&((g._debugIds=g._debugIds||{})[s]="${id}")}catch(e){}}();`

/** Returns the debug id of built code that has one: of its comment, or of its map. */
export const debugIdOf = (code: string, map?: SourceMap): string | undefined => {
  const lastLines = code.trimEnd().split('\n').slice(-5).join('\n')
  return (COMMENT.exec(lastLines)?.[1] ?? map?.debugId ?? map?.debug_id)?.toLowerCase()
}

/** Whether the code registers the id when it runs. */
export const registersId = (code: string, id: string): boolean =>
  GLOBALS.test(code) && code.toLowerCase().includes(`"${id}"`)

/** Returns a UUID that the content determines, so that the same build has the same ids. */
const idOfContent = (code: string, map: SourceMap): string => {
  const hex = createHash('sha256').update(code).update(JSON.stringify(map)).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/** Moves what is on a line, from a column on, by `length` columns. Both start at 0. */
const shift = (map: SourceMap, line: number, column: number, length: number): SourceMap => {
  if (map.sections)
    return {
      ...map,
      sections: map.sections.map(({ offset, map: inner }) => {
        const isMoved = offset.line === line && offset.column >= column
        if (isMoved) return { offset: { ...offset, column: offset.column + length }, map: inner }
        // The line is inside the section. Only the first line of a section begins at its column.
        const at = line - offset.line
        return { offset, map: at < 0 ? inner : shift(inner, at, at ? column : column - offset.column, length) }
      }),
    }
  const lines = decode(map.mappings ?? '')
  for (const segment of lines[line] ?? []) if (segment[0] >= column) segment[0] += length
  return { ...map, mappings: encode(lines) }
}

/**
 * Returns a built file with a debug id: the one it has from any vendor's tool, or one derived from its content. Code that registers
 * the id is added if there is none. Returns the same code if it is complete.
 */
export const inject = (code: string, map: SourceMap): Injected => {
  const found = debugIdOf(code, map)
  const id = found ?? idOfContent(code, map)
  let result = code
  let shifted = map
  if (!registersId(code, id)) {
    const [prologue] = PROLOGUE.exec(code)!
    const line = prologue.split('\n').length - 1
    const column = prologue.length - (prologue.lastIndexOf('\n') + 1)
    const added = snippet(id)
    result = prologue + added + code.slice(prologue.length)
    shifted = shift(map, line, column, added.length)
  }
  if (!COMMENT.test(result.trimEnd().split('\n').slice(-5).join('\n'))) {
    const comment = `//# debugId=${id}`
    result = MAP_COMMENT.test(result)
      ? result.replace(MAP_COMMENT, (mapComment) => `${comment}\n${mapComment}`)
      : `${result.trimEnd()}\n${comment}\n`
  }
  return { id, code: result, map: { ...shifted, debugId: id } }
}

/** Returns built code without the comment that names its map. */
export const withoutMapComment = (code: string): string => code.replace(MAP_COMMENT, '').trimEnd() + '\n'
