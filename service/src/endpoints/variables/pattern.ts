import { RE2JS } from 're2js'

// Matches in linear time. With backtracking, a pattern such as (a+)+$ could block the event loop for minutes on thirty
// letters. Therefore backreferences and lookarounds are not supported.
const compile = (pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern))

/** Whether `pattern` is a supported regular expression. */
export const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(compile(pattern))
  } catch {
    return false
  }
}

/** Whether a part of `text` matches `pattern`. */
export const matches = (pattern: string, text: string): boolean => compile(pattern).matcher(text).find()
