import { useEffect, useRef, useState } from 'preact/hooks'
import { formatWhole } from '../../lib/format.ts'

const EVERY_MS = 10_000

/** Announces the number of new events to screen readers every 10 s, because announcing rows would never stop. */
export const Announcer = ({ total }: { readonly total: number }) => {
  const latest = useRef(total)
  latest.current = total
  const [text, setText] = useState('')
  useEffect(() => {
    let announced = latest.current
    const timer = setInterval(() => {
      const count = latest.current - announced
      announced = latest.current
      setText(count > 0 ? `${formatWhole(count)} new` : '')
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div role="status" class="visually-hidden">
      {text}
    </div>
  )
}
