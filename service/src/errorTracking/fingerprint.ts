import { createHash } from 'node:crypto'
import { type Exception, type Frame, withoutQuery } from './exceptions.ts'
import { type FingerprintRule, type GroupField, MAX_CHAIN, type PossibleRule } from './matchRules.ts'
import { normalizeMessage } from './message.ts'

/** A frame after source maps were applied. */
export interface MappedFrame extends Frame {
  /** Whether a source map was applied: `filename`, `line` and `column` are those of the source. */
  readonly isMapped: boolean
  /** The line of the source, and up to five lines before and after it. */
  readonly source:
    | { readonly line: string; readonly before: readonly string[]; readonly after: readonly string[] }
    | undefined
}

export interface MappedException extends Omit<Exception, 'frames'> {
  readonly frames: readonly MappedFrame[]
}

/** Changes with the rules. Another version forms new groups and leaves existing ones. */
const VERSION = 'v1'
const MAX_FRAMES = 8
const MAX_LINE = 120

/** Characters of the id of a stack. */
export const STACK_ID_LENGTH = 16

const hash = (value: unknown, length: number): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length)

const LOAD_FAILURE =
  /Loading (CSS )?chunk \S+ failed|(Failed to fetch|error loading) dynamically imported module|Importing a module script failed|Unable to preload CSS/i
const HYDRATION = /hydrat(e|ing|ion)|did not match.*server|Text content does not match server/i

/** Returns the shared fingerprint of errors with one known cause. `undefined` for all other errors. */
const knownGroup = ([first]: readonly Pick<Exception, 'type' | 'value'>[]): string[] | undefined => {
  if (!first) return undefined
  if (first.type === 'ChunkLoadError' || LOAD_FAILURE.test(first.value)) return ['load-failure']
  return HYDRATION.test(first.value) && /Error|Invariant/.test(first.type) ? ['hydration', first.type] : undefined
}

const ASYNC = /^async[ *]/
const HAS_NO_CODE = /^$|^<anonymous>$|^\[?native|^(native|eval) code$|^wasm:/
const HAS_NO_NAME = /^(\?|<anonymous>|anonymous|global code|module code|eval code|eval|)$/

/** Removes the alias from a method name: `run [as start]` becomes `run`. */
const withoutAlias = (name: string): string => (name.endsWith(']') ? name.split(' [as ', 1)[0]! : name)

/** Removes the suffix of anonymous inner functions: `run/<` becomes `run`. A regular expression would take quadratic time. */
const withoutInner = (name: string): string => {
  let end = name.length
  while (end > 0 && (name[end - 1] === '/' || name.endsWith('/<', end))) end -= name[end - 1] === '/' ? 1 : 2
  return name.slice(0, end)
}

const lastPart = (name: string): string => {
  const own = withoutInner(withoutAlias(name.replace(/^async[ *]/, '')))
  const part = own.slice(Math.max(own.lastIndexOf('.'), own.lastIndexOf('/')) + 1)
  return HAS_NO_NAME.test(part) ? '' : part
}

/** Returns the name of a built file without what its content determines: `app-4f3c2a1b.js` is `app.js`. */
const baseName = (filename: string): string =>
  withoutQuery(filename)
    .split('/')
    .at(-1)!
    .replace(/[.-](?=[A-Za-z_]*\d|[A-Z_])[\w]{6,40}(?=[.-]|$)/g, '')

const fileOf = ({ isMapped, filename }: MappedFrame): string =>
  isMapped ? filename.replace(/^(\.\.?\/)+/, '') : baseName(filename)

const keyOf = (frame: MappedFrame): string[] => {
  const line = frame.isMapped ? frame.source?.line.replace(/\s+/g, ' ').trim().slice(0, MAX_LINE) : ''
  return [fileOf(frame), line || lastPart(frame.function)]
}

/** Engines differ in the callers they report across `await`, so only the frames of the same task count. */
const ofTask = (frames: readonly MappedFrame[]): readonly MappedFrame[] => {
  const boundary = frames.findIndex(({ function: name }) => ASYNC.test(name))
  return boundary > 0 ? frames.slice(0, boundary) : frames
}

const frameKeys = (frames: readonly MappedFrame[]): string[][] => {
  const known = ofTask(frames).filter(({ filename }) => !HAS_NO_CODE.test(filename))
  const own = known.filter(({ inApp }) => inApp)
  const keys = (own.length ? own : known).map(keyOf)
  // A function that calls itself counts once.
  const distinct = keys.filter((key, at) => key.join('\n') !== keys[at - 1]?.join('\n')).slice(0, MAX_FRAMES)
  return distinct.length === 1 && !distinct[0]![1] ? [] : distinct
}

/** Returns the frame that names an issue: the innermost of the page's own code, or else the innermost. */
export const culpritOf = (exceptions: readonly MappedException[]): MappedFrame | undefined => {
  const frames = exceptions[0]?.frames ?? []
  return frames.find(({ inApp, filename }) => inApp && !HAS_NO_CODE.test(filename)) ?? frames[0]
}

const FIELD_VALUES: Readonly<Record<GroupField, (exceptions: readonly MappedException[]) => string>> = {
  type: ([first]) => first?.type ?? '',
  message: ([first]) => normalizeMessage(first?.value ?? ''),
  file: (exceptions) => {
    const culprit = culpritOf(exceptions)
    return culprit ? fileOf(culprit) : ''
  },
  function: (exceptions) => lastPart(culpritOf(exceptions)?.function ?? ''),
}

/** Returns the group that a rule of the project decides. */
const ruleGroup = ({ issue, group_by: fields = [] }: FingerprintRule, exceptions: readonly MappedException[]) =>
  issue === undefined
    ? ['group_by', ...fields.map((field) => [field, FIELD_VALUES[field](exceptions)])]
    : ['issue', issue]

/**
 * Returns what identifies the cause of an error: the fingerprint that the site gave, or what a rule of the project decides,
 * or a hash of the types and the page's own frames along the chain of causes, without lines and columns. Without frames, the
 * message counts, without ids, numbers and the like. `given`: `$exception_fingerprint` of the event.
 */
export const fingerprintOf = (
  exceptions: readonly MappedException[],
  { given, rule }: { readonly given?: unknown; readonly rule?: FingerprintRule | undefined } = {},
): string => {
  const parts =
    typeof given === 'string' && given
      ? ['given', given]
      : rule
        ? ruleGroup(rule, exceptions)
        : (knownGroup(exceptions) ??
          exceptions.slice(0, MAX_CHAIN).map(({ type, value, isSynthetic, frames }) => {
            const keys = frameKeys(frames)
            return [isSynthetic && keys.length ? '' : type, keys.length ? keys : normalizeMessage(value)]
          }))
  return hash([VERSION, parts], 32)
}

/**
 * Returns an id of everything that a fingerprint can depend on before and after mapping. Events with one stack id have one
 * fingerprint, whichever source maps exist, so that mapping is needed once a stack and not once an event.
 * `rules`: those of the project that may decide the fingerprint, which can depend on the messages.
 */
export const stackIdOf = (
  exceptions: readonly Exception[],
  { given, rules = [] }: { readonly given?: unknown; readonly rules?: readonly PossibleRule[] } = {},
): string =>
  hash(
    [
      VERSION,
      typeof given === 'string' ? given : '',
      knownGroup(exceptions) ?? '',
      exceptions.slice(0, MAX_CHAIN).map(({ type, value, isSynthetic, frames }) => [
        type,
        isSynthetic,
        frames.map((frame) => [
          withoutQuery(frame.filename),
          frame.function,
          frame.line,
          frame.column,
          frame.inApp,
          frame.mapId,
        ]),
        // A fingerprint depends on the message if no frame counts, and mapping can change which frames count.
        frames.filter(({ filename }) => !HAS_NO_CODE.test(filename)).length > 1 ? '' : normalizeMessage(value),
      ]),
      ...(rules.length ? [rules, normalizeMessage(exceptions[0]?.value ?? '')] : []),
    ],
    STACK_ID_LENGTH,
  )
