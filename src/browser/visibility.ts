import type { Stop } from '../types'
import { domSignal, listen } from './signal'

/** The page was shown or hidden. On a phone, hidden may be the last that a page hears. */
export const onVisibilityChange = domSignal(() => self, ['visibilitychange'])

/** Whether nobody can see the page. What has none is not hidden. */
export const isHidden = () => self.document?.visibilityState === 'hidden'

const isVisible = () => !isHidden() && (document as { prerendering?: boolean }).prerendering !== true

/** Runs `run` once, as soon as a person can see the page: now, or when a hidden or prerendered page is shown. */
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
