/** The script-tag build, under the name that snippets ask for. */
const CORE = 'analytics.js'
const ALIASES: Readonly<Record<string, string>> = { 'array.js': CORE, 'array.full.js': CORE }

/**
 * The SDK's file that `/static/<path>` means; `undefined` if the path cannot be one.
 * A version in front is dropped: the folder holds one release.
 */
export const staticFile = (path: string): string | undefined => {
  const file = path.replace(/^\d+\.\d+\.\d+[^/]*\//, '')
  if (!/^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(file)) return undefined
  return ALIASES[file] ?? file
}
