import { Readable } from 'node:stream'
import type { QueryRows } from '../persons/queryRows.ts'
import { CHUNK_COLUMNS, MAX_CHUNKS, noRecording, OF_PROJECT, toChunk } from './chunkRows.ts'
import { CHUNKS } from './chunkStore.ts'
import type { ChunkRow } from './manifest.ts'
import type { RecordingThread } from './thread.ts'

export interface SnapshotsRequest {
  readonly windowId: string
  /** First and last sequence number. */
  readonly from: number
  readonly to: number
  /** The client that reads. Clients take turns. */
  readonly client: string
  readonly signal: AbortSignal
}

/** Streams the events of a window as lines of JSON, sanitized. Rejects with `ApiError`. */
export type ReadSnapshots = (projectId: number, sessionId: string, request: SnapshotsRequest) => Promise<Readable>

/** Bytes of events, and parts of a chunk, that one query reads. A part has a megabyte at most. */
const RANGE_BYTES = 2_000_000
const PARTS_PER_QUERY = 2

/** Splits chunks into ranges of bounded bytes. */
const inRanges = (chunks: readonly ChunkRow[]): ChunkRow[][] => {
  const ranges: ChunkRow[][] = []
  let left = 0
  for (const chunk of chunks) {
    if (chunk.bytes > left || !ranges.length) {
      ranges.push([])
      left = RANGE_BYTES
    }
    ranges.at(-1)!.push(chunk)
    left -= chunk.bytes
  }
  return ranges
}

/** Creates the stream of a recording's events. */
export const createReadSnapshots = ({
  queryRows,
  thread,
}: {
  readonly queryRows: QueryRows
  readonly thread: Pick<RecordingThread, 'play'>
}): ReadSnapshots => {
  /** Reads the events of some chunks, which have about `RANGE_BYTES`. A larger chunk is alone, and read in parts. */
  const readRange = async (
    projectId: number,
    sessionId: string,
    {
      windowId,
      from,
      to,
      parts,
    }: { readonly windowId: string; readonly from: number; readonly to: number; readonly parts: number },
    signal: AbortSignal,
  ): Promise<Map<number, string>> => {
    // A chunk that was sent twice may not be merged yet.
    const text = `SELECT seq, payload FROM db.${CHUNKS} WHERE ${OF_PROJECT} AND session_id = {sessionId:String} AND window_id = {windowId:String}
      AND seq >= {from:UInt64} AND seq <= {to:UInt64} AND part >= {fromPart:UInt32} AND part < {untilPart:UInt32}
      ORDER BY seq, part, received_at DESC LIMIT 1 BY seq, part`
    const payloads = new Map<number, string>()
    for (let part = 0; part < parts; part += PARTS_PER_QUERY) {
      const params = { projectId, sessionId, windowId, from, to, fromPart: part, untilPart: part + PARTS_PER_QUERY }
      for (const [seq, payload] of await queryRows(projectId, { text, params }, signal))
        payloads.set(Number(seq), (payloads.get(Number(seq)) ?? '') + String(payload))
    }
    return payloads
  }

  return async (projectId, sessionId, { windowId, from, to, client, signal }) => {
    const of = `FROM db.${CHUNKS} WHERE ${OF_PROJECT} AND session_id = {sessionId:String} AND window_id = {windowId:String}`
    const params = { projectId, sessionId, windowId, from, to, limit: MAX_CHUNKS }
    const [clock, rows] = await Promise.all([
      // All chunks of a window have the clock of its first one, as in its manifest.
      queryRows(projectId, { text: `SELECT argMin(shift_ms, seq) ${of} HAVING count() > 0`, params }, signal),
      queryRows(
        projectId,
        {
          text: `SELECT ${CHUNK_COLUMNS} ${of} AND seq >= {from:UInt64} AND seq <= {to:UInt64}
            GROUP BY window_id, seq ORDER BY seq LIMIT {limit:UInt32}`,
          params,
        },
        signal,
      ),
    ])
    if (!clock.length) throw noRecording()
    const shiftMs = Number(clock[0]![0])
    const wanted = rows.map(toChunk).filter(({ isWhole }) => isWhole)
    const lines = async function* () {
      for (const range of inRanges(wanted)) {
        const bounds = {
          windowId,
          from: range[0]!.seq,
          to: range.at(-1)!.seq,
          parts: Math.max(...range.map(({ parts }) => parts)),
        }
        const payloads = await readRange(projectId, sessionId, bounds, signal)
        for (const { seq } of range) {
          const payload = payloads.get(seq)
          if (payload !== undefined) yield await thread.play(client, { windowId, seq, payload, shiftMs })
        }
      }
    }
    return Readable.from(lines(), { objectMode: false })
  }
}
