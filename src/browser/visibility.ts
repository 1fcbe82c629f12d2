import type { Stop } from '../types'
import { domSignal, listen } from './signal'

/** Fires when the page is shown or hidden. On phones, this may be the last event that a page receives. */
export const onVisibilityChange = domSignal(() => self, ['visibilitychange'])

/** Whether the page is hidden. False in workers. */
export const isHidden = () => self.document?.visibilityState === 'hidden'

const isVisible = () => !isHidden() && (document as { prerendering?: boolean }).prerendering !== true

/** Runs `run` once the page is visible: now, or when a hidden or prerendered page is shown. */
export const whenVisible = (run: () => void): Stop => {
  const look = () => {
    if (!isVisible()) return
    stop()
    run()
  }
  const stop = listen(self, ['visibilitychange', 'prerenderingchange'], look)
  look()
  return stop
}
