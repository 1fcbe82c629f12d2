import { createContext, Script } from 'node:vm'

// A pattern such as (a+)+$ can take for ever on a text of thirty letters, and everyone else would wait for it.
const MAX_MS = 20

const script = new Script('pattern.test(text)')

/** Whether `pattern` is a regular expression. */
export const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}

/** Whether `text` has a part that matches `pattern`; `undefined` if finding out takes too long. */
export const matches = (pattern: string, text: string): boolean | undefined => {
  try {
    return script.runInContext(createContext({ pattern: new RegExp(pattern, 'u'), text }), { timeout: MAX_MS }) as boolean
  } catch {
    return undefined // the time is over: the only error that a pattern and a text can cause
  }
}
