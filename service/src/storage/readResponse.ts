import type { Readable } from 'node:stream'
import { concatInSteps } from '../lib/concatInSteps.ts'
import { createLane } from '../lib/lane.ts'
import { inSlices, parseInSteps } from '../lib/largeJson.ts'
import { pacedStream } from '../lib/pacedStream.ts'
import { createTimeSlices, type Steps } from '../lib/timeSlices.ts'
import type { EngineResponse } from './clickhouseHttp.ts'
import { type ReadBounds, type Result, StorageError } from './storage.ts'
import { quoteUnsafeIntegers } from './unsafeIntegers.ts'

// The engine collects a response on its disk. If it cannot, it responds with 200, the number of rows and an empty body.
const notWritten = () => new StorageError('full', 'The engine could not write its response to its disk')

/** A response with more bytes is large: one at a time is in memory as text. */
const LARGE_BYTES = 250_000
const large = createLane(1)
const slices = createTimeSlices()

/** Reads bytes until the body ends or there are `most`. Returns whether it ended. */
const readUpTo = async (body: AsyncIterator<Buffer>, chunks: Buffer[], most: number): Promise<boolean> => {
  let bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  while (bytes <= most) {
    const next = await body.next()
    if (next.done) return true
    chunks.push(next.value)
    bytes += next.value.length
  }
  return false
}

export interface ResponseBounds extends Pick<ReadBounds, 'maxBytes'> {
  /** Whom the response is for. Large responses are read in turns. */
  readonly client: string
}

/**
 * Reads a response and passes its text to `read`. Rejects with a `StorageError` of kind `bytes` if it has more than
 * `maxBytes`.
 */
const readText = async <Value>(
  { body, rowCount }: EngineResponse,
  { maxBytes, client }: ResponseBounds,
  read: (text: string) => Promise<Value>,
): Promise<Value> => {
  const chunks: Buffer[] = []
  const parts = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const finish = async () => {
    const bytes = await concatInSteps(chunks.splice(0), () => slices.next(client))
    const text = bytes.toString()
    if (!text && rowCount) throw notWritten()
    return read(text)
  }
  try {
    if (await readUpTo(parts, chunks, Math.min(LARGE_BYTES, maxBytes))) return await finish()
    return await large.run(client, async () => {
      if (await readUpTo(parts, chunks, maxBytes)) return finish()
      throw new StorageError('bytes', `The result has more than ${maxBytes} bytes`)
    })
  } finally {
    body.destroy()
  }
}

const parse = (text: string): unknown => JSON.parse(quoteUnsafeIntegers(text)) as unknown

/** Reads a response in the format JSONCompact. */
export const readResult = (response: EngineResponse, bounds: ResponseBounds): Promise<Result> =>
  readText(response, bounds, async (text) => {
    try {
      const { meta, data } = (await inSlices(parseInSteps(text, parse))) as {
        meta: Result['columns']
        data: Result['rows']
      }
      return { columns: meta, rows: data, textLength: text.length }
    } catch {
      if (!text) throw notWritten()
      throw new StorageError('unavailable', 'The response of the engine is truncated')
    }
  })

function* parseLines<Row>(text: string): Steps<Row[]> {
  const rows: Row[] = []
  for (let at = 0; at < text.length;) {
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    if (end > at) rows.push((yield* parseInSteps(text.slice(at, end))) as Row)
    at = end + 1
    yield
  }
  return rows
}

/** Reads a response in the format JSONEachRow. */
export const readRows = <Row>(response: EngineResponse, bounds: ResponseBounds): Promise<Row[]> =>
  readText(response, bounds, (text) => inSlices(parseLines<Row>(text)))

/** Returns the body as a stream once its first bytes have arrived. `client`: whom it is for. Clients take turns. */
export const readStream = async ({ body, rowCount }: EngineResponse, client: string): Promise<Readable> => {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  if (first.done && rowCount) throw notWritten()
  const all = async function* () {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const stream = pacedStream(all(), () => slices.next(client))
  // A generator that has not started does not end `chunks`, and the body would occupy its connection.
  stream.once('close', () => body.destroy())
  return stream
}
