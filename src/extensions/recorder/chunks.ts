import type { eventWithTime } from '@rrweb/types'
import type { RecorderParts } from '../../host'
import { isoTime } from '../../lib/isoTime'
import type { BeforeSend, Properties } from '../../types'
import type { ExtensionHost } from '../contract'
import { FULL_SNAPSHOT, META } from './eventTypes'
import type { startText } from './snapshotText'
import type { Tab } from './tabState'

// About 48 KiB compressed, which a request can carry beyond the end of its page.
const MAX_CHARACTERS = 300_000
const MAX_MS = 5000
// Long enough to stringify many events at once, short enough to lose little with a tab that is killed.
const SETTLE_MS = 500
// Characters that wait for a trigger or for the minimum duration. Enough for a full snapshot of a very large page.
const MAX_HELD = 20e6
// Keys and values of a full snapshot. The service takes 2 million a request, with the changes after the snapshot.
const MAX_VALUES = 1.9e6

interface Chunk {
  /** The person, the session and the window that all its events belong to. */
  distinctId: string
  sessionId: string
  windowId: string
  /** Times of its first and last event. */
  from: number
  to: number
  hasFull: boolean
  /** Parts of its events' JSON text, joined by commas. A full snapshot has many, which are never joined in one task. */
  parts: string[]
  /** Characters of them. */
  length: number
}

interface ChunkInputs {
  host: ExtensionHost & RecorderParts
  /** Whether everything in the recording is masked. */
  isStrict(): boolean
  tab: Tab
  /** Queues an event, in parts of its JSON text. */
  upload(uuid: string, parts: readonly string[]): void
  /** Counts an event that is not sent. */
  drop(event: { event: string; uuid: string }, reason: 'before_send'): void
  /** Writes the text of a full snapshot in slices. */
  startText: typeof startText
  /** Called with the characters of each full snapshot. */
  onSnapshotText(length: number): void
  /** Called instead when one is larger than the service takes. All that waits was dropped, because it cannot be played. */
  onTooLarge(): void
}

/** Returns a chunk's event after `before_send`, which receives it without its data; undefined if it drops the chunk. */
const filtered = (
  { config, log }: ChunkInputs['host'],
  event: { uuid: string; event: string; properties: Properties; timestamp: Date },
) => {
  try {
    let result: ReturnType<BeforeSend> = event
    for (const each of [config.before_send].flat()) if (each && result) result = each(result)
    return result || undefined
  } catch (error) {
    log.error('before_send failed, so a part of the recording is not sent', error)
    return undefined
  }
}

/** Sends chunks, each as the event that its `before_send` returns. */
const createSender = ({ host, isStrict, tab, upload, drop }: ChunkInputs) => {
  let flushed = 0
  /** Changes that the budget has left out since the last chunk was sent. */
  let dropped = 0
  const send = ({ distinctId, sessionId, windowId, from, hasFull, parts, length }: Chunk) => {
    const state = tab.read(sessionId, windowId)
    const uuid = host.uuidv7()
    const event = filtered(host, {
      uuid,
      event: '$snapshot',
      properties: {
        token: host.token,
        distinct_id: distinctId,
        $session_id: sessionId,
        $window_id: windowId,
        $lib: 'web',
        $lib_version: host.version,
        $snapshot_host: location.host,
        $snapshot_bytes: length,
        $snapshot_sequence: state.sequence,
        $snapshot_has_full: hasFull,
        $snapshot_policy: isStrict() ? 'strict' : 'default',
        ...(dropped ? { $snapshot_dropped: dropped } : {}),
      },
      timestamp: new Date(from),
    })
    dropped = 0
    if (!event) return drop({ event: '$snapshot', uuid }, 'before_send')
    tab.write({ ...state, sequence: state.sequence + 1, size: state.size + length })
    flushed += length
    const json = host.toJson({ ...event.properties, $snapshot_data: [] })
    upload(uuid, [
      `{"uuid":"${uuid}","event":"$snapshot","properties":${json.slice(0, -2)}`,
      ...parts,
      `]},"timestamp":"${isoTime(new Date(from))}"}`,
    ])
  }
  return {
    send,
    onDropped: (count: number): void => {
      dropped += count
    },
    flushed: () => flushed,
  }
}

/**
 * Collects events in chunks and sends them. A chunk ends after 5 s, when it is large, before a full snapshot, with its
 * session, and when the page is hidden. While `hold` is set, chunks wait in memory; `release` sends them.
 */
export const createChunks = (inputs: ChunkInputs) => {
  const { host } = inputs
  let chunk: Chunk | undefined
  let pending: eventWithTime[] = []
  /** The full snapshot whose text is being written, before the text of `pending`. */
  let writing: ReturnType<typeof startText> | undefined
  /** Whether the chunk ends once that is done. */
  let cutsWhenWritten = false
  let held: Chunk[] = []
  let isHolding = true
  /** Whether a full snapshot makes earlier held chunks useless. */
  let restartsHeld = false
  let settleTimer: ReturnType<typeof setTimeout> | undefined
  let cutTimer: ReturnType<typeof setTimeout> | undefined

  const sender = createSender(inputs)
  const settle = () => {
    clearTimeout(settleTimer)
    settleTimer = undefined
    if (!chunk || !pending.length || writing) return
    chunk.to = pending[pending.length - 1]!.timestamp
    write([host.toJson(pending).slice(1, -1)])
    pending = []
  }
  const write = (texts: readonly string[]) => {
    for (const text of chunk!.length ? [',', ...texts] : texts) {
      chunk!.parts.push(text)
      chunk!.length += text.length
    }
  }
  /** Writes the text of a full snapshot in slices. */
  const writeSnapshot = (event: eventWithTime) => {
    settle()
    chunk!.to = event.timestamp
    writing = inputs.startText(event, host.toJson, (parts, values) => {
      writing = undefined
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      if (values > MAX_VALUES || length > MAX_HELD) {
        clear()
        return inputs.onTooLarge()
      }
      write(parts)
      inputs.onSnapshotText(length)
      settle()
      if (cutsWhenWritten || chunk!.length > MAX_CHARACTERS) cut()
    })
  }
  /** Drops what was not sent. */
  const clear = () => {
    clearTimeout(settleTimer)
    clearTimeout(cutTimer)
    writing?.stop()
    settleTimer = cutTimer = chunk = writing = undefined
    cutsWhenWritten = false
    pending = []
    held = []
  }
  const cut = () => {
    cutsWhenWritten = false
    writing?.finish()
    settle()
    clearTimeout(cutTimer)
    cutTimer = undefined
    const done = chunk
    chunk = undefined
    if (!done?.length) return
    if (!isHolding) return sender.send(done)
    if (done.hasFull && restartsHeld) held = []
    held.push(done)
    let room = MAX_HELD
    // Without its beginning, the rest could not be played.
    if (held.some(({ length }) => (room -= length) < 0)) held = []
  }
  return {
    add: (event: eventWithTime): void => {
      // A chunk that begins with a full snapshot can be played from there.
      if ((event.type as number) === META) cut()
      const sessionId = host.session.current()
      if (!sessionId) return
      const windowId = host.session.windowId()
      chunk ??= {
        distinctId: host.distinctId(),
        sessionId,
        windowId,
        from: event.timestamp,
        to: event.timestamp,
        hasFull: false,
        parts: [],
        length: 0,
      }
      const isFull = (event.type as number) === FULL_SNAPSHOT
      if (isFull && pending.length + chunk.length < 2) chunk.hasFull = true
      if (isFull) writeSnapshot(event)
      else pending.push(event)
      settleTimer ??= host.later(() => {
        settle()
        if (chunk!.length > MAX_CHARACTERS) cut()
      }, SETTLE_MS)
      cutTimer ??= host.later(() => {
        cutTimer = undefined
        if (writing) cutsWhenWritten = true
        else cut()
      }, MAX_MS)
    },
    cut,
    /** Counts changes that the budget has left out. */
    onDropped: sender.onDropped,
    /** Keeps chunks in memory. `restarts`: only those since the last full snapshot. */
    hold: (restarts: boolean): void => {
      isHolding = true
      restartsHeld = restarts
    },
    /** Sends what was held, and later chunks immediately. */
    release: (): void => {
      isHolding = false
      held.splice(0).forEach(sender.send)
    },
    clear,
    /** Times of the first and the last event that were not sent; undefined if there are none. */
    span: (): { from: number; to: number } | undefined => {
      const first = held[0] ?? chunk
      const last = pending[pending.length - 1]?.timestamp ?? chunk?.to ?? held[held.length - 1]?.to
      return first && last ? { from: first.from, to: last } : undefined
    },
    sizes: () => ({
      waiting: held.length + (chunk ? 1 : 0),
      size: held.reduce((sum, { length }) => sum + length, chunk?.length ?? 0),
      flushed: sender.flushed(),
    }),
  }
}

export type Chunks = ReturnType<typeof createChunks>
