import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { Refusal } from '../lib/refusal.ts'

const MAX_BYTES = 20 * 1024 * 1024
const MAX_DISCARDED_BYTES = 256 * 1024 * 1024
const RETRY_AFTER_SECONDS = 2

export interface BodyReader {
  /** Call before the body is read: what it takes up is given back when the answer is out or the connection is gone. */
  watch(request: IncomingMessage, response: ServerResponse): void
  /** The bytes of a delivery. Throws `Refusal`. */
  read(request: IncomingMessage, stream: Readable): Promise<Buffer>
}

/**
 * Reads the bodies of deliveries, of which no more than `maxHeldBytes` are held at once; one that is alone is taken whatever
 * its size. A body over a limit is read to its end all the same: a connection that is cut while the client still writes
 * shows it a network failure, which it tries again at once, instead of the 413 or 429.
 */
export const createBodyReader = (maxHeldBytes: number): BodyReader => {
  const heldBy = new WeakMap<IncomingMessage, number>()
  let held = 0

  const holdMore = (request: IncomingMessage, bytes: number): boolean => {
    const mine = heldBy.get(request)
    const isAlone = held === mine
    if (mine === undefined || (held + bytes > maxHeldBytes && !isAlone)) return false
    heldBy.set(request, mine + bytes)
    held += bytes
    return true
  }

  const letGo = (request: IncomingMessage) => {
    held -= heldBy.get(request) ?? 0
    heldBy.delete(request)
  }

  return {
    watch(request, response) {
      heldBy.set(request, 0)
      response.once('close', () => letGo(request))
    },
    read: (request, stream) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = []
        let bytes = 0
        let fault: Refusal | undefined
        // By its events: to iterate over a stream costs more than all that is done with a body of a few kilobytes.
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > MAX_BYTES) fault = new Refusal('body_too_large')
          else if (!fault && !holdMore(request, chunk.length))
            fault = new Refusal('ingest_overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
          if (fault) {
            letGo(request)
            chunks.length = 0
          } else chunks.push(chunk)
          if (fault && bytes > MAX_DISCARDED_BYTES) {
            stream.destroy()
            reject(fault)
          }
        })
        stream.once('error', reject)
        stream.once('end', () =>
          fault ? reject(fault) : resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
        )
      }),
  }
}
