import { useEffect, useRef } from 'preact/hooks'
import { PLAYER_URL } from '../../api/recordings.ts'
import { useWidth } from '../../lib/useWidth.ts'
import type { FromPlayer, RecordedEvent, ToPlayer } from '../../player/messages.ts'
import styles from './heatmaps.module.css'

const CUSTOM = 5

/** A snapshot of a page in the document of the player, as large as its map. `events`: those that draw it. */
export const PageBackground = ({
  events,
  width,
  height,
}: {
  readonly events: readonly RecordedEvent[]
  readonly width: number
  readonly height: number
}) => {
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  const shown = useWidth(box)
  useEffect(() => {
    const post = (message: ToPlayer) => frame.current?.contentWindow?.postMessage(message, location.origin)
    const onMessage = ({ source, origin, data }: MessageEvent<FromPlayer>) => {
      if (source !== frame.current?.contentWindow || origin !== location.origin || data?.type !== 'ready') return
      const [meta, ...rest] = events
      const sized = { ...meta!, data: { ...(meta!.data as object), width, height } }
      post({ type: 'open', gaps: [], isStill: true })
      // The player draws the events before the wanted moment.
      const end = { type: CUSTOM, timestamp: events.at(-1)!.timestamp + 1, data: { tag: 'end', payload: {} } }
      post({ type: 'events', events: [sized, ...rest, end], isEnd: true })
      post({ type: 'seek', id: 1, at: end.timestamp, plays: false })
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  return (
    <div ref={box} class={styles.background}>
      <iframe
        ref={frame}
        src={PLAYER_URL}
        title="Recorded page"
        tabIndex={-1}
        style={{ width: `${width}px`, height: `${height}px`, transform: `scale(${shown / width})` }}
      />
    </div>
  )
}
