import { RE2JS } from 're2js'

// In time that grows with the text: a pattern such as (a+)+$ would otherwise take for ever on thirty letters, and everyone
// else would wait for it. What such an engine cannot do, references back and looks around, is no pattern here.
const compile = (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern))

/** Whether `pattern` is a regular expression. */
export const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(compile(pattern))
  } catch {
    return false
  }
}

/** Whether `text` has a part that matches `pattern`. */
export const matches = (pattern: string, text: string): boolean => compile(pattern).matcher(text).find()
