import { useEffect, useRef, useState } from 'preact/hooks'
import { SERVICE_URL } from '../../api/client.ts'
import type { Playback } from './playback.ts'
import styles from './recordings.module.css'

const PLAYER = `${SERVICE_URL}/console/player.html`
const MAX_HEIGHT_SHARE = 0.65

/** The recorded page, as large as fits. */
export const Screen = ({ playback }: { readonly playback: Playback }) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => playback.attach(frame.current!), [playback])
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  const size = playback.size.value
  const scale = size ? Math.min(1, width / size.width, (innerHeight * MAX_HEIGHT_SHARE) / size.height) : 1
  return (
    <div ref={box} class={styles.screen} style={size ? { height: `${Math.ceil(size.height * scale)}px` } : {}}>
      <iframe
        ref={frame}
        class={styles.frame}
        src={PLAYER}
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
