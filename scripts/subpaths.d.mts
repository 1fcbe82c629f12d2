/** A row of src/subpaths.json. */
export interface Subpath {
  name: string
  entry: string
  /** The largest size, minified and gzipped, in bytes. */
  limit: number
  platform: 'any' | 'client' | 'node'
  conditions: Record<string, string>
  peers: Record<string, string>
}
/** The rows of src/subpaths.json. */
export const subpaths: readonly Subpath[]
/** Whether a sub-path imports a module by name instead of bundling it. */
export function isExternal(id: string): boolean
/** Returns a package.json with the rows in it. */
export function withSubpaths(manifest: Record<string, unknown>): Record<string, unknown>
