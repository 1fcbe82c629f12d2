import { createHash } from 'node:crypto'
import { type Exception, withoutQuery } from './exceptions.ts'

/** What a rule can group exceptions by. */
export const GROUP_FIELDS = ['type', 'message', 'file', 'function'] as const
export type GroupField = (typeof GROUP_FIELDS)[number]

/** Conditions on one error of an exception. All have to hold. `*` in a string stands for any characters, case is ignored. */
export interface RuleConditions {
  readonly type?: string | undefined
  readonly message?: string | undefined
  /** File of a frame, after source maps. The same frame must match `function`. */
  readonly file?: string | undefined
  readonly function?: string | undefined
  readonly handled?: boolean | undefined
}

/** Decides the issue of the exceptions that match `match`: one issue with a name, or one per value of some fields. */
export interface FingerprintRule {
  readonly match: RuleConditions
  readonly issue?: string | undefined
  readonly group_by?: readonly GroupField[] | undefined
}

/** What rules read of an error, in lower case. */
interface ComparedError {
  readonly type: string
  readonly message: string
  readonly isHandled: boolean
  readonly frames: readonly { readonly file: string; readonly function: string }[]
}

export interface CompiledRule extends FingerprintRule {
  /** Hash of the rule: a changed rule is another one. */
  readonly id: string
  /** Whether the rule has conditions on frames, which source maps change. */
  readonly readsFrames: boolean
  readonly fitsError: (error: ComparedError) => boolean
  readonly fitsFrames: (error: ComparedError) => boolean
}

/** Errors of a chain that count for rules and fingerprints. */
export const MAX_CHAIN = 5

/** Returns a test for a pattern. It takes linear time for each part between two `*`, unlike a regular expression. */
const toTest = (pattern: string | undefined): ((text: string) => boolean) => {
  if (pattern === undefined) return () => true
  const [start = '', ...rest] = pattern.toLowerCase().split('*')
  const end = rest.pop()
  if (end === undefined) return (text) => text === start
  return (text) => {
    if (!text.startsWith(start) || !text.endsWith(end)) return false
    let at = start.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= text.length - end.length
  }
}

const compile = (rule: FingerprintRule): CompiledRule => {
  const { type, message, file, function: name, handled } = rule.match
  const [fitsType, fitsMessage, fitsFile, fitsName] = [toTest(type), toTest(message), toTest(file), toTest(name)]
  const readsFrames = file !== undefined || name !== undefined
  return {
    ...rule,
    id: createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 16),
    readsFrames,
    fitsError: (error) =>
      fitsType(error.type) && fitsMessage(error.message) && (handled === undefined || handled === error.isHandled),
    fitsFrames: ({ frames }) =>
      !readsFrames || frames.some((frame) => fitsFile(frame.file) && fitsName(frame.function)),
  }
}

export const compileRules = (rules: readonly FingerprintRule[]): readonly CompiledRule[] => rules.map(compile)

const compared = (exceptions: readonly Exception[]): ComparedError[] =>
  exceptions.slice(0, MAX_CHAIN).map(({ type, value, isHandled, frames }) => ({
    type: type.toLowerCase(),
    message: value.toLowerCase(),
    isHandled,
    frames: frames.map((frame) => ({
      file: withoutQuery(frame.filename).toLowerCase(),
      function: frame.function.toLowerCase(),
    })),
  }))

/** A rule that may decide the issue of an exception. */
export interface PossibleRule {
  readonly id: string
  /** Whether each error of the chain fulfills the conditions that source maps cannot change. */
  readonly fits: readonly boolean[]
}

/** Returns the rules that may decide once source maps are applied, in order: up to the first that reads no frames. */
export const possibleRules = (
  rules: readonly CompiledRule[],
  exceptions: readonly Exception[],
): readonly PossibleRule[] => {
  if (!rules.length) return []
  const errors = compared(exceptions)
  const possible: PossibleRule[] = []
  for (const { id, readsFrames, fitsError } of rules) {
    const fits = errors.map(fitsError)
    if (!fits.includes(true)) continue
    possible.push({ id, fits })
    if (!readsFrames) break
  }
  return possible
}

/**
 * Returns the rule that decides the issue of an exception with source maps applied. `rules`: all that may have been in
 * force when it arrived. `ids`: those of `possibleRules` then, whose order decides.
 */
export const decidingRule = (
  rules: readonly CompiledRule[],
  ids: unknown,
  exceptions: readonly Exception[],
): CompiledRule | undefined => {
  if (!Array.isArray(ids)) return undefined
  const errors = compared(exceptions)
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  return ids
    .flatMap((id) => byId.get(id as string) ?? [])
    .find(({ fitsError, fitsFrames }) => errors.some((error) => fitsError(error) && fitsFrames(error)))
}
