import type { RecorderFramesParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { createReader } from './reader'
import { HELLO, isMessage, REQUEST, type ToFrame } from './messages'

// Characters of JSON: a snapshot of a large page, and what all frames may add in a minute. The page itself may add 10e6
// (recorder/budget.ts).
const MAX_MESSAGE = 3e6
const MAX_PER_MINUTE = 5e6
const MINUTE_MS = 60_000
const MAX_REQUESTS = 100
// Far above the ids that rrweb counts from 1.
const FIRST_ID = 1e9

/** Creates a counter of the characters that frames have posted. Returns whether more are within the limits. */
const createQuota = () => {
  let since = 0
  let used = 0
  return (size: number): boolean => {
    const now = Date.now()
    if (now - since > MINUTE_MS) [since, used] = [now, 0]
    used += size
    return size <= MAX_MESSAGE && used <= MAX_PER_MINUTE
  }
}

/** Returns the origin of a frame's URL; undefined if it has none. */
const originOf = (iframe: HTMLIFrameElement): string | undefined => {
  try {
    const { origin } = new URL(iframe.src)
    return origin === 'null' ? undefined : origin
  } catch {
    return undefined
  }
}

const parse = (text: string): unknown[] => {
  try {
    return [JSON.parse(text) as unknown].flat()
  } catch {
    return []
  }
}

interface Frame {
  /** Number of requests since the latest snapshot of the page. */
  requests: number
  post(message: ToFrame): void
  close: Stop
}

/**
 * Records cross-origin frames below their elements. A frame can post anything, so its events are bounded, read by their
 * shape, and sanitized.
 */
export const startParent = (host: ExtensionHost & RecorderFramesParts): Stop => {
  const frames = new Map<HTMLIFrameElement, Frame>()
  const hasQuota = createQuota()
  let latestId = FIRST_ID
  const nextId = () => ++latestId
  // The frame is cross-origin if its document is inaccessible.
  const isOpen = (iframe: HTMLIFrameElement) => !!host.openId(iframe) && !iframe.contentDocument

  /** Asks a cross-origin frame to record its document. `origin`: the only origin that may receive the request. */
  const request = (iframe: HTMLIFrameElement, origin: string) => {
    const requests = (frames.get(iframe)?.requests ?? 0) + 1
    if (requests > MAX_REQUESTS) return
    frames.get(iframe)?.close()
    const { port1, port2 } = new MessageChannel()
    const reader = createReader(nextId)
    const record = host.receiver(reader.nodeOf)
    const close = () => port1.close()
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      const id = iframe.isConnected && isOpen(iframe) && host.openId(iframe)
      if (!id) return
      if (typeof data !== 'string' || !hasQuota(data.length) || reader.isFull()) {
        host.mark('recording degraded', { step: 'frame', reason: 'bytes' })
        port1.postMessage('stop')
        return close()
      }
      for (const each of parse(data)) {
        const event = reader.read(each, id)
        if (event) record(event)
      }
    }
    frames.set(iframe, {
      requests,
      post: (message) => {
        reader.reset()
        port1.postMessage(message)
      },
      close,
    })
    iframe.contentWindow!.postMessage(REQUEST, origin, [port2])
  }
  const all = () => [...document.querySelectorAll('iframe')]

  /** Requests full snapshots from all frames. */
  const requestAll = () => {
    for (const [iframe, frame] of frames)
      if (!iframe.isConnected) {
        frame.close()
        frames.delete(iframe)
      }
    for (const iframe of all()) {
      const origin = originOf(iframe)
      const frame = frames.get(iframe)
      if (frame) {
        frame.requests = 0
        frame.post('snapshot')
      } else if (origin && isOpen(iframe)) request(iframe, origin)
    }
  }

  const stops = [
    host.listen(self, ['message'], (event) => {
      const { data, source, origin } = event as MessageEvent<unknown>
      if (!isMessage(data, HELLO) || origin === 'null') return
      const iframe = all().find(({ contentWindow }) => contentWindow === source)
      if (iframe && isOpen(iframe)) request(iframe, origin)
    }),
    host.onSnapshot(requestAll),
  ]
  requestAll()
  return () => {
    stops.forEach((stop) => stop())
    for (const frame of frames.values()) {
      frame.post('stop')
      frame.close()
    }
  }
}
