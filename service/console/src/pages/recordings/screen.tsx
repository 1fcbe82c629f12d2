import { useEffect, useRef } from 'preact/hooks'
import { PLAYER_URL } from '../../api/recordings.ts'
import { useWidth } from '../../lib/useWidth.ts'
import type { Playback } from './playback.ts'
import styles from './recordings.module.css'

const MAX_HEIGHT_SHARE = 0.65

/** The recorded page, as large as fits. */
export const Screen = ({ playback }: { readonly playback: Playback }) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  useEffect(() => playback.attach(frame.current!), [playback])
  const size = playback.size.value
  const scale = size ? Math.min(1, width / size.width, (innerHeight * MAX_HEIGHT_SHARE) / size.height) : 1
  return (
    <div ref={box} class={styles.screen} style={size ? { height: `${Math.ceil(size.height * scale)}px` } : {}}>
      <iframe
        ref={frame}
        class={styles.frame}
        src={PLAYER_URL}
        title="Recorded page"
        tabIndex={-1}
        style={
          size
            ? { width: `${size.width}px`, height: `${size.height}px`, transform: `translateX(-50%) scale(${scale})` }
            : {}
        }
      />
      {!size && !playback.error.value && <p class={styles.loading}>Loading …</p>}
    </div>
  )
}
