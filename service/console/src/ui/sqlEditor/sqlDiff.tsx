import { useEffect, useRef } from 'preact/hooks'
import { loadCode } from '../../lib/loadCode.ts'
import { countLines } from './countLines.ts'
import styles from './sqlEditor.module.css'

/** The difference between two texts, with removed lines above the lines that replace them. */
export const SqlDiff = (texts: Readonly<{ label: string; original: string; changed: string }>) => {
  const { label, original, changed } = texts
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isOver = false
    let remove: (() => void) | undefined
    void loadCode(
      () => import('./createDiff.ts'),
      () => !isOver,
    ).then(({ createDiff }) => {
      if (!isOver && host.current) remove = createDiff(host.current, label, original, changed)
    })
    return () => {
      isOver = true
      remove?.()
    }
  }, [label, original, changed])
  return <div ref={host} class={styles.editor} style={{ '--lines': countLines(changed) }} />
}
