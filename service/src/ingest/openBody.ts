import type { NextStep } from '../lib/timeSlices.ts'
import { parseJson } from './decode.ts'
import { eventsOf, type Reader, type Reading, readOne, readUnparsed } from './read.ts'
import { splitBody } from './split.ts'

/** The events of a body. */
export interface OpenBody {
  readonly size: number
  /** Parses and reads the event with this index, from 0. */
  read(index: number): Reading
}

/** Opens a decoded body. Its events are parsed one by one as they are read. Throws `ApiError` if it is invalid. */
export const openBody = async (bytes: Buffer, reader: Reader, next: NextStep): Promise<OpenBody> => {
  const turn = next()
  if (turn) await turn
  const split = await splitBody(bytes, next)
  const { list, events, envelope } = eventsOf(split ? split.envelope : parseJson(bytes))
  const pieces = split?.lists[list]
  if (!pieces) return { size: events.length, read: (index) => readOne(events[index], index, envelope, reader) }
  return {
    size: pieces.length,
    read(index) {
      const { bytes: text, fault } = pieces[index]!
      return fault
        ? readUnparsed({ bytes: text, fault }, index, envelope, reader.queryToken)
        : readOne(parseJson(text), index, envelope, reader)
    },
  }
}
