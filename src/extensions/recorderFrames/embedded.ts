import type { RecordedEvent, RecorderFramesParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { HELLO, isMessage, REQUEST, type ToFrame } from './messages'

const FULL_SNAPSHOT = 2
const INCREMENTAL = 3
const SETTLE_MS = 100

/** Whether a page of this origin may record the frame. Opaque origins may not. */
const allows = (option: unknown, origin: string): boolean =>
  origin !== 'null' && (Array.isArray(option) ? option.includes(origin) : option === true)

/**
 * Passes what this page records to its parent, once a recording parent that the option allows has requested it. From
 * then on, the page sends no recording itself.
 */
export const startEmbedded = ({
  config,
  listen,
  later,
  toJson,
  onParent,
}: ExtensionHost & RecorderFramesParts): Stop => {
  let port: MessagePort | undefined
  let pending: RecordedEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (pending.length) port?.postMessage(toJson(pending))
    pending = []
  }
  const post = (event: RecordedEvent) => {
    if (event.type !== FULL_SNAPSHOT && event.type !== INCREMENTAL) return
    pending.push(event)
    timer ??= later(flush, SETTLE_MS)
  }
  const begin = () => {
    pending = []
    onParent(post)
  }
  const close = () => {
    clearTimeout(timer)
    port?.close()
    port = timer = undefined
  }
  const stops = [
    listen(self, ['message'], (event) => {
      const { source, origin, data, ports } = event as MessageEvent<unknown>
      if (source !== self.parent || !isMessage(data, REQUEST) || !ports[0]) return
      if (!allows(config.session_recording.recordCrossOriginIframes, origin)) return
      close()
      port = ports[0]
      port.onmessage = ({ data: message }: MessageEvent<ToFrame>) => {
        if (message !== 'stop') return begin()
        close()
        onParent(undefined)
      }
      begin()
    }),
    listen(self, ['pagehide'], flush),
  ]
  self.parent.postMessage(HELLO, '*')
  return () => {
    stops.forEach((stop) => stop())
    close()
  }
}
