import type { ExceptionItem } from './exceptionList'
import { EXTENSION } from './frames'

/** Messages of errors that no change of the page's code can prevent. */
const MESSAGES: readonly RegExp[] = [
  // Cross-origin scripts without CORS.
  /^Script error\.?$/,
  /^Javascript error: Script error\.? on line 0$/,
  // Not an error: the next frame delivers the rest.
  /^ResizeObserver loop (completed with undelivered notifications|limit exceeded)/,
  // Scripts that browsers, extensions and apps add to pages.
  /__firefox__|__gCrWeb|_AutofillCallbackHandler|CefSharp|gmo is not defined|vv\(\)\.getRestrictions|simulateEvent/,
  /^Java exception was raised during method invocation|^Cannot redefine property: (googletag|solana|ethereum)/,
  /^Object Not Found Matching Id:\d+, MethodName:\w+/,
]

const innermost = ({ stacktrace }: ExceptionItem) => stacktrace?.frames[stacktrace.frames.length - 1]

/** Whether a browser extension or a script that the browser added threw it. */
export const isOfExtension = (items: readonly ExceptionItem[]): boolean =>
  EXTENSION.test(innermost(items[0]!)?.filename ?? '') ||
  (/^(chrome|moz|safari(-web)?)-extension:/.test(items[0]!.stacktrace?.frames[0]?.filename ?? '') &&
    !items[0]!.stacktrace!.frames.some((frame) => frame.in_app))

/**
 * Whether an unhandled error says nothing about the page: a known message, or a request that the page itself canceled.
 */
export const isNoise = ([{ type, value }]: readonly [ExceptionItem, ...unknown[]]): boolean =>
  /^AbortError\b/.test(type === 'DOMException' ? value : type) || MESSAGES.some((message) => message.test(value))

const OWN_SCRIPT = /^(.*\/)exceptions\.js$/
const OWN_NAMES =
  /^(analytics(\.core)?|clicks|database|exceptions|gzip|heatmaps|recorder\w*|requests|surveys\w*|toolbar|webVitals\w*)\.js$/

/** Returns a function that checks whether a file is a script of the SDK. `stack`: that of an error in this file. */
export const createIsOwn = (file: string | undefined): ((name: string | undefined) => boolean) => {
  const folder = OWN_SCRIPT.exec(file ?? '')?.[1]
  // In a bundle, the SDK's code is in the same file as the page's.
  return (name = '') => !!folder && name.startsWith(folder) && OWN_NAMES.test(name.slice(folder.length))
}

/** Whether the SDK itself threw it. */
export const isOwn = ([first]: readonly ExceptionItem[], ofSdk: (name: string | undefined) => boolean): boolean =>
  !first!.mechanism.synthetic && ofSdk(innermost(first!)?.filename)

type Compare = (wanted: readonly string[], values: readonly string[]) => boolean
const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
const matches = (text: string, pattern: string) => new RegExp(pattern).test(text)

const some =
  (test: (value: string, wanted: string) => boolean): Compare =>
  (wanted, values) =>
    values.some((value) => wanted.some((each) => test(value, each)))
const none =
  (test: (value: string, wanted: string) => boolean): Compare =>
  (wanted, values) =>
    !some(test)(wanted, values)

const same = (value: string, wanted: string) => value === wanted
const OPERATORS: Record<string, Compare | undefined> = {
  exact: some(same),
  is_not: none(same),
  icontains: some(contains),
  not_icontains: none(contains),
  regex: some(matches),
  not_regex: none(matches),
}

interface Rule {
  type?: string
  values: { key: string; operator: string; value: unknown }[]
}

const appliesTo = ({ type, values }: Rule, items: readonly ExceptionItem[]): boolean => {
  const results = values.map(({ key, operator, value }) => {
    const known = key === '$exception_types' ? 'type' : key === '$exception_values' ? 'value' : undefined
    const wanted = [value].flat().map(String)
    return (
      !!known &&
      wanted.length > 0 &&
      !!OPERATORS[operator]?.(
        wanted,
        items.map((item) => item[known]),
      )
    )
  })
  return results.length > 0 && (type === 'OR' ? results.some(Boolean) : results.every(Boolean))
}

/** Whether a suppression rule of the project applies. A malformed rule applies to nothing. */
export const isSuppressed = (rules: unknown, items: readonly ExceptionItem[]): boolean =>
  Array.isArray(rules) &&
  rules.some((rule: Rule) => {
    try {
      return appliesTo(rule, items)
    } catch {
      return false
    }
  })
