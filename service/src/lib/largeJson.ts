import type { Readable } from 'node:stream'
import { setOwn } from './own.ts'
import { pacedStream } from './pacedStream.ts'
import { createTimeSlices, runInSlices, type Steps } from './timeSlices.ts'

/** Characters of JSON that are parsed in one step: at most about 3 ms. */
const PARSE_STEP = 32_000
/** Number of values that are written in one step. A character counts as a fraction of a value. */
const WRITE_STEP = 2_000
const VALUES_PER_CHARACTER = 1 / 32
/** Encoding this much takes well under a millisecond. */
const CHUNK_CHARS = 64 * 1024

const slices = createTimeSlices()

/** Resolves with the result of a computation. All computations of this kind together get one time slice per turn. */
export const inSlices = <Value>(steps: Steps<Value>): Promise<Value> => runInSlices(steps, () => slices.next('json'))

/** Parses a short JSON text. */
type Parse = (text: string) => unknown

const [QUOTE, COMMA, BACKSLASH, LAST_BLANK] = [34, 44, 92, 32]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** Returns the index after the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slash = end
    while (text.charCodeAt(slash - 1) === BACKSLASH) slash -= 1
    if ((end - slash) % 2 === 0) return end + 1
  }
  throw new SyntaxError('The JSON text ends inside a string')
}

/** Items that follow a position inside a list or object. */
interface Run {
  /** End of the last complete item that fits into a step. Equals the position if the first item does not fit. */
  readonly end: number
  /** Whether these are the last items. */
  readonly isLast: boolean
}

const runFrom = (text: string, start: number): Run => {
  let end = start
  for (let at = start, depth = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 0) return { end: at, isLast: true }
      depth -= 1
    } else if (code === COMMA && depth === 0) end = at
    if (at - start > PARSE_STEP) return { end, isLast: false }
  }
  throw new SyntaxError('The JSON text is truncated')
}

const firstAfterBlanks = (text: string, start: number): number => {
  let at = start
  while (text.charCodeAt(at) <= LAST_BLANK) at += 1
  return at
}

/** A value, and the index after it. */
type Found = readonly [value: unknown, end: number]

/** Parses the value that begins at `start`, in short steps. */
function* parseValue(text: string, start: number, parse: Parse): Steps<Found> {
  const opening = text.charCodeAt(start)
  if (opening === QUOTE) {
    const end = endOfString(text, start)
    yield
    return [JSON.parse(text.slice(start, end)), end]
  }
  const isList = opening === OPEN_LIST
  if (!isList && opening !== OPEN_OBJECT) throw new SyntaxError('A value of the JSON text is too long')
  const list: unknown[] = []
  const fields: Record<string, unknown> = {}
  for (let at = start + 1; ;) {
    const { end, isLast } = runFrom(text, at)
    yield
    const items = text.slice(at, end)
    if (end > at || isLast) {
      if (isList) for (const each of parse(`[${items}]`) as unknown[]) list.push(each)
      else for (const [key, each] of Object.entries(parse(`{${items}}`) as object)) setOwn(fields, key, each)
      at = end
    } else {
      // One large item.
      let from = firstAfterBlanks(text, at)
      let key = ''
      if (!isList) {
        const afterKey = endOfString(text, from)
        key = JSON.parse(text.slice(from, afterKey)) as string
        from = firstAfterBlanks(text, text.indexOf(':', afterKey) + 1)
      }
      const [value, after] = yield* parseValue(text, from, parse)
      if (isList) list.push(value)
      else setOwn(fields, key, value)
      at = firstAfterBlanks(text, after)
    }
    if (text.charCodeAt(at) !== COMMA) return [isList ? list : fields, at + 1]
    at += 1
  }
}

/** Parses a JSON text in short steps, each of which passes a short text to `parse`. */
export function* parseInSteps(text: string, parse: Parse = JSON.parse): Steps<unknown> {
  if (text.length <= PARSE_STEP) return parse(text)
  return (yield* parseValue(text, firstAfterBlanks(text, 0), parse))[0]
}

/** Returns how much work writing a value is. Stops counting above `most`. */
const workOf = (value: unknown, most: number): number => {
  if (typeof value === 'string') return 1 + value.length * VALUES_PER_CHARACTER
  if (typeof value !== 'object' || value === null) return 1
  let work = 1
  if (Array.isArray(value)) {
    for (const each of value) if ((work += workOf(each, most - work)) > most) break
  } else {
    for (const [key, each] of Object.entries(value)) {
      work += key.length * VALUES_PER_CHARACTER + workOf(each, most - work)
      if (work > most) break
    }
  }
  return work
}

/** Whether writing a value takes one short step. */
export const isShort = (value: unknown): boolean => workOf(value, WRITE_STEP) <= WRITE_STEP

/** Yields lists of items that together take one step, and items that take several as lists of one. */
function* inGroups<Item>(items: Iterable<Item>, workFor: (item: Item) => number): Generator<Item[]> {
  let group: Item[] = []
  let work = 0
  for (const item of items) {
    const own = workFor(item)
    if (group.length && work + own > WRITE_STEP) {
      yield group
      group = []
      work = 0
    }
    group.push(item)
    work += own
  }
  if (group.length) yield group
}

/** Passes each part of a value's JSON to `write`, in short steps. */
function* writeInSteps(value: unknown, write: (part: string) => void): Steps<void> {
  yield
  if (typeof value !== 'object' || value === null || 'toJSON' in value || isShort(value)) {
    write(JSON.stringify(value) ?? 'null')
    return
  }
  let separator = ''
  if (Array.isArray(value)) {
    write('[')
    for (const group of inGroups(value as unknown[], (each) => workOf(each, WRITE_STEP))) {
      write(separator)
      separator = ','
      if (group.length === 1) yield* writeInSteps(group[0], write)
      else write(JSON.stringify(group).slice(1, -1))
      yield
    }
    write(']')
    return
  }
  write('{')
  const members = Object.entries(value).filter(([, each]) => each !== undefined && typeof each !== 'function')
  for (const group of inGroups(members, ([, each]) => 1 + workOf(each, WRITE_STEP))) {
    for (const [key, each] of group) {
      write(`${separator}${JSON.stringify(key)}:`)
      separator = ','
      if (group.length === 1) yield* writeInSteps(each, write)
      else write(JSON.stringify(each))
    }
    yield
  }
  write('}')
}

/** Resolves with the bytes of a value's JSON in chunks, like `JSON.stringify`, without blocking the event loop. */
export const toLargeJson = async (value: unknown): Promise<Buffer[]> => {
  const chunks: Buffer[] = []
  let text = ''
  await inSlices(
    writeInSteps(value, (part) => {
      text += part
      if (text.length < CHUNK_CHARS) return
      chunks.push(Buffer.from(text))
      text = ''
    }),
  )
  chunks.push(Buffer.from(text))
  return chunks
}

/** Returns a stream of these chunks, which does not block the event loop either. */
export const streamJson = (chunks: readonly Buffer[]): Readable => pacedStream(chunks, () => slices.next('json'))
