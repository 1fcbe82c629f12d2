import { own } from '../lib/own.ts'
import type { NextStep } from '../lib/timeSlices.ts'
import { parseJson } from './decode.ts'
import { eventsOf, type Reader, type Reading, readOne, readUnparsed } from './read.ts'
import { splitBody } from './split.ts'

/** The events of a body. */
export interface OpenBody {
  readonly size: number
  /** Parses the event with this index, from 0. The function it returns reads the event in a separate step. */
  parse(index: number): () => Reading
}

/** Opens a decoded body. Its events are parsed one by one as they are read. Throws `ApiError` if it is invalid. */
export const openBody = async (bytes: Buffer, reader: Reader, next: NextStep): Promise<OpenBody> => {
  const turn = next()
  if (turn) await turn
  const split = await splitBody(bytes, next)
  const { list, events, envelope } = eventsOf(split ? split.envelope : parseJson(bytes))
  const pieces = split && own(split.lists, list)
  if (!pieces) return { size: events.length, parse: (index) => () => readOne(events[index], index, envelope, reader) }
  return {
    size: pieces.length,
    parse(index) {
      const { bytes: text, fault } = pieces[index]!
      if (fault) return () => readUnparsed({ bytes: text, fault }, index, envelope, reader.queryToken)
      const event = parseJson(text)
      return () => readOne(event, index, envelope, reader)
    },
  }
}
