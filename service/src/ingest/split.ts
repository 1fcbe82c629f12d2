import { ApiError } from '../lib/apiError.ts'
import type { NextStep } from '../lib/timeSlices.ts'
import { parseJson } from './decode.ts'
import { MAX_DEPTH } from '../lib/storableJson.ts'

/** Maximum events of one body. */
export const MAX_EVENTS = 10_000
/** Maximum bytes of one event as JSON, and of everything around the events of a body. */
export const MAX_EVENT_BYTES = 2 * 1024 * 1024
/** Maximum keys and values of one event, nested ones included. Parsing a key costs about as much as ten numbers. */
export const MAX_EVENT_VALUES = 16_000
/** Maximum keys and values of JSON that is parsed as a whole: the envelope of a delivery, and API bodies. */
export const MAX_WHOLE_VALUES = 32_768
/** Larger bodies are split before they are parsed. */
const MAX_WHOLE_BYTES = 64 * 1024
// Scanning this much takes about a millisecond.
const STEP_BYTES = 512 * 1024

/** Reason why an event is not parsed. */
export type PieceFault = 'event_too_large' | 'too_many_values' | 'properties_too_deep'

/** The JSON of one event. */
export interface Piece {
  readonly bytes: Buffer
  readonly fault: PieceFault | undefined
}

/** A body whose events are not parsed yet. */
export interface SplitBody {
  /** The parsed body, with empty lists of events. */
  readonly envelope: unknown
  /** The events by the name of their list. '': the body is the list. */
  readonly lists: Readonly<Record<string, readonly Piece[]>>
}

/** Names of fields that may hold a list of events. '': the body itself. */
const LISTS = ['', 'batch', 'data']

/** Maximum lists of one body. Lists of the same name count separately. */
const MAX_LISTS = 16

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

const tooMany = () =>
  new ApiError('body_too_large', {
    detail: `A request may have at most ${MAX_EVENTS} events. Send the rest in another request.`,
  })

/** Counts the values that `JSON.parse` would create from a piece of text. */
const createMeter = (maxValues: number) => {
  let values = 0
  let deepest = 0
  return {
    reset() {
      values = 1
      deepest = 0
    },
    addValue: () => void (values += 1),
    reach: (depth: number) => void (depth > deepest && (deepest = depth)),
    fault: (bytes: number): PieceFault | undefined =>
      bytes > MAX_EVENT_BYTES
        ? 'event_too_large'
        : deepest > MAX_DEPTH + 1
          ? 'properties_too_deep'
          : values > maxValues
            ? 'too_many_values'
            : undefined,
  }
}

const isBlank = (bytes: Buffer) => bytes.toString('latin1').trim() === ''

/**
 * Finds the events of a large body by the structure of its bytes, in one pass without recursion and in steps, so that
 * each can be parsed separately. It relies on quotation marks and brackets only: invalid JSON fails when it is parsed.
 */
const createScanner = (bytes: Buffer, listNames: readonly string[]) => {
  const lists = new Map<string, Piece[]>()
  const around: Buffer[] = []
  const inner = createMeter(MAX_EVENT_VALUES)
  const outer = createMeter(MAX_WHOLE_VALUES)
  outer.reset()
  let at = 0
  let depth = 0
  let isInString = false
  let stringStart = 0
  let key = ''
  /** Depth inside the list that is being read. 0: outside of lists. */
  let listDepth = 0
  let pieceStart = 0
  let aroundStart = 0
  let list: Piece[] = []

  const endPiece = (isLast: boolean) => {
    const piece = bytes.subarray(pieceStart, at)
    pieceStart = at + 1
    if (isLast && !list.length && piece.length <= MAX_EVENT_BYTES && isBlank(piece)) return
    if (list.length >= MAX_EVENTS) throw tooMany()
    list.push({ bytes: piece, fault: inner.fault(piece.length) })
    inner.reset()
  }

  const open = (byte: number) => {
    depth += 1
    if (listDepth) {
      inner.reach(depth - listDepth)
      inner.addValue()
      return
    }
    outer.reach(depth)
    outer.addValue()
    const name = depth === 1 ? '' : depth === 2 && key ? key : undefined
    if (byte !== LIST || name === undefined || !listNames.includes(name)) return
    if (around.length >= MAX_LISTS)
      throw new ApiError('invalid_input', { detail: 'The body has several lists of events. Send one "batch".' })
    around.push(bytes.subarray(aroundStart, at + 1))
    list = []
    lists.set(name, list)
    listDepth = depth
    pieceStart = at + 1
    inner.reset()
  }

  const close = (byte: number) => {
    if (listDepth && depth === listDepth) {
      if (byte !== LIST_END) throw new ApiError('invalid_json')
      endPiece(true)
      listDepth = 0
      aroundStart = at
    }
    depth -= 1
  }

  const addValue = () => (listDepth ? inner : outer).addValue()

  const separate = () => {
    if (listDepth && depth === listDepth) endPiece(false)
    else addValue()
  }

  return {
    /** Scans the next bytes. Returns whether any are left. */
    step(): boolean {
      const end = Math.min(bytes.length, at + STEP_BYTES)
      for (; at < end; at += 1) {
        const byte = bytes[at]!
        if (isInString) {
          if (byte === BACKSLASH) at += 1
          else if (byte === QUOTE) {
            isInString = false
            // The last string before a list is its key.
            if (depth === 1) key = at - stringStart < 10 ? bytes.toString('latin1', stringStart + 1, at) : ''
          }
        } else if (byte === QUOTE) {
          isInString = true
          stringStart = at
        } else if (byte === LIST || byte === OBJECT) open(byte)
        else if (byte === LIST_END || byte === OBJECT_END) close(byte)
        else if (byte === COMMA) separate()
        else if (byte === COLON) addValue()
      }
      return at < bytes.length
    },
    end(): SplitBody {
      if (depth !== 0 || isInString) throw new ApiError('invalid_json')
      around.push(bytes.subarray(aroundStart))
      const envelope = Buffer.concat(around)
      const fault = outer.fault(envelope.length)
      if (fault)
        throw new ApiError(fault === 'event_too_large' ? 'body_too_large' : 'invalid_input', {
          detail: `A JSON body, apart from a list of events in it, may have at most ${MAX_EVENT_BYTES} bytes, ${MAX_WHOLE_VALUES} keys and values and ${MAX_DEPTH} levels.`,
        })
      return { envelope: parseJson(envelope), lists: Object.fromEntries(lists) }
    },
  }
}

/**
 * Splits a JSON body into its events. Awaits `next` between steps of bounded time.
 * Returns `undefined` for a small body, which is parsed as a whole. Throws `ApiError`.
 */
export const splitBody = async (bytes: Buffer, next: NextStep): Promise<SplitBody | undefined> => {
  if (bytes.length <= MAX_WHOLE_BYTES) return undefined
  const scanner = createScanner(bytes, LISTS)
  while (scanner.step()) {
    const turn = next()
    if (turn) await turn
  }
  return scanner.end()
}

/** Parses JSON in bounded time. Throws `ApiError` if it is invalid, too large, too deep or has too many values. */
export const parseBounded = (bytes: Buffer): unknown => {
  const scanner = createScanner(bytes, [])
  while (scanner.step());
  return scanner.end().envelope
}
