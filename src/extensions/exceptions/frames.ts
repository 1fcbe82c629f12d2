import { parseStack } from 'error-stack-parser-es/lite'

/** A stack frame of `$exception_list` (docs/guides/exceptions.md). */
export interface Frame {
  platform: 'web:javascript'
  filename?: string
  function: string
  lineno?: number
  colno?: number
  /** Whether it is the page's own code: not native, evaluated without a URL, or of a browser extension. */
  in_app: boolean
  /** Debug id of the file, which identifies its source map. */
  chunk_id?: string
}

const MAX_FRAMES = 50
// A stack is bounded before it is parsed, because a page may set any string.
const MAX_STACK = 100_000
const MAX_LINE = 2_000

/** The scheme of a script of a browser extension, or of one whose URL Safari hides. */
export const EXTENSION = /^(chrome-extension|moz-extension|safari-extension|safari-web-extension|webkit-masked-url):/
// Safari puts the scheme of its extensions into the function's name.
const SAFARI_EXTENSION = /safari-(web-)?extension/
const CODE_URL = /^(https?|file|capacitor|app|blob|webpack(-internal)?):|^\//

/** Returns the lines of a stack without the message, which follows a name in its first line and may look like frames. */
const linesOf = (stack: string, message: string): string => {
  const at = message ? stack.indexOf(`: ${message}`) : -1
  const start = at >= 0 && !stack.slice(0, at).includes('\n') ? at + message.length + 2 : 0
  return stack
    .slice(start, start + MAX_STACK)
    .split('\n')
    .filter((line) => line.length <= MAX_LINE)
    .join('\n')
}

/**
 * Returns the frames of a stack in the form of V8, Gecko or JavaScriptCore, the outermost call first, at most 50 next to
 * the throw. `message`: the error's message, which V8 repeats in the stack.
 */
export const framesOf = (stack: string, message: string, chunkIds: Readonly<Record<string, string>>): Frame[] =>
  parseStack(linesOf(stack, message))
    .filter(({ file, function: name }) => file || name)
    .slice(0, MAX_FRAMES)
    .map(({ file, function: name = '?', line, col }): Frame => {
      const scheme = SAFARI_EXTENSION.exec(name)?.[0]
      const filename = scheme ? `${scheme}:${file ?? ''}` : file
      return {
        platform: 'web:javascript',
        filename,
        function: name.replace(/^new |^.*safari-(web-)?extension:?\/*|\/?<$/g, '') || '?',
        lineno: line,
        colno: col,
        in_app: CODE_URL.test(filename ?? '') && !/\bnode_modules\b/.test(filename!),
        chunk_id: chunkIds[filename ?? ''],
      }
    })
    .reverse()
