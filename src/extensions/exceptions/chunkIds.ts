import { parseStack } from 'error-stack-parser-es/lite'

/**
 * Globals with the debug ids of files. A bundler plugin adds code to each file that stores the id there, by the stack
 * of an error made in the file.
 */
const GLOBALS = ['_debugIds', '_posthogChunkIds', '_sentryDebugIds']

/** Returns the function that reads the debug ids of the page's files, by URL. It parses each stack once. */
export const createChunkIds = (): (() => Readonly<Record<string, string>>) => {
  const known: Record<string, string> = {}
  const ids: Record<string, string> = {}
  return () => {
    for (const name of GLOBALS) {
      const byStack = (self as unknown as Record<string, Record<string, unknown> | undefined>)[name]
      for (const [stack, id] of Object.entries(byStack ?? {})) {
        if (typeof id !== 'string' || known[stack] === id) continue
        known[stack] = id
        const file = parseStack(stack).find((frame) => frame.file)?.file
        if (file) ids[file] = id.slice(0, 100)
      }
    }
    return ids
  }
}
