import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { debugIdOf, inject, registersId, type SourceMap, withoutMapComment } from './inject'

/** A built file and its map. */
export interface BuiltFile {
  /** Path of the code. */
  path: string
  /** Path of the map; undefined: it has none. */
  mapPath: string | undefined
}

const IS_CODE = /\.[cm]?js$/
const MAP_URL = /^\/\/# sourceMappingURL=(\S+)\s*$/m

/** Returns all files in a folder, or the file itself. */
const walk = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { withFileTypes: true }).flatMap(({ name }) =>
        name === 'node_modules' ? [] : walk(join(path, name)),
      )
    : [path]

const mapPathOf = (path: string): string | undefined => {
  const url = MAP_URL.exec(readFileSync(path, 'utf8').slice(-2_000))?.[1]
  const named = url && !/^[a-z][a-z0-9+.-]*:/i.test(url) ? join(dirname(path), decodeURIComponent(url)) : undefined
  return [named, `${path}.map`].find((each) => each !== undefined && existsSync(each))
}

/** Returns the JavaScript files in folders, with their maps. */
export const builtFiles = (paths: readonly string[]): BuiltFile[] =>
  paths
    .flatMap(walk)
    .filter((path) => IS_CODE.test(path))
    .map((path) => ({ path, mapPath: mapPathOf(path) }))

/** Returns the maps in folders that belong to no file. */
export const unmatchedMaps = (paths: readonly string[], files: readonly BuiltFile[]): string[] => {
  const known = new Set(files.flatMap(({ mapPath }) => mapPath ?? []))
  return paths.flatMap(walk).filter((path) => /\.[cm]?js\.map$/.test(path) && !known.has(path))
}

export const readMap = (path: string): SourceMap => {
  const map = JSON.parse(readFileSync(path, 'utf8')) as SourceMap
  if (map.version !== 3) throw new Error(`${path} is not a source map: "version" is not 3.`)
  return map
}

/** Returns a map whose paths do not show the folders of the machine that built it. */
const withRelativePaths = (map: SourceMap, mapPath: string, root: string): SourceMap => ({
  ...map,
  ...(map.sources
    ? {
        sources: map.sources.map((source) => {
          if (source === null) return null
          const path = source.startsWith('file://') ? fileURLToPath(source) : source
          if (!isAbsolute(path) && /^[a-z][\w+.-]*:/i.test(path)) return source
          const absolute = isAbsolute(path) ? path : resolve(dirname(mapPath), map.sourceRoot ?? '', path)
          const inRoot = relative(root, absolute).split(sep).join('/')
          return inRoot.startsWith('../') ? inRoot.replace(/^(\.\.\/)+/, '') : inRoot
        }),
        sourceRoot: undefined,
      }
    : {}),
  ...(map.sections
    ? { sections: map.sections.map((each) => ({ ...each, map: withRelativePaths(each.map, mapPath, root) })) }
    : {}),
})

/** Gives a built file its debug id, on disk. Returns the id and the text of its map. */
export const prepare = (path: string, mapPath: string, root: string): { id: string; map: string } => {
  const before = readFileSync(path, 'utf8')
  const { id, code, map } = inject(before, readMap(mapPath))
  const text = JSON.stringify(withRelativePaths(map, mapPath, root))
  if (code !== before) {
    writeFileSync(path, code)
    writeFileSync(mapPath, JSON.stringify(map))
  }
  return { id, map: text }
}

/** Deletes a map from the output, and the comment that names it. */
export const removeMap = (path: string, mapPath: string): void => {
  rmSync(mapPath)
  writeFileSync(path, withoutMapComment(readFileSync(path, 'utf8')))
}

/** Returns why exceptions of a built file cannot be mapped; undefined if they can. Throws if the map cannot be read. */
export const problemOf = ({ path, mapPath }: BuiltFile): string | undefined => {
  const code = readFileSync(path, 'utf8')
  const map = mapPath === undefined ? undefined : readMap(mapPath)
  const id = debugIdOf(code, map)
  if (!id) return map ? 'has no debug id: run "trailmark sourcemaps upload"' : 'has neither a debug id nor a source map'
  if (!registersId(code, id)) return 'has a debug id, but no code that registers it: run "trailmark sourcemaps upload"'
  if (map && !map.sections && !map.sourcesContent?.some((text) => text))
    return 'has a source map without "sourcesContent"'
  return undefined
}
