import type { RecorderFramesParts } from '../../host'
import type { Extension } from '../contract'
import { startEmbedded } from './embedded'
import { startParent } from './parent'

/**
 * Records cross-origin frames: the recorder in a frame passes its events to the recorder of the parent page. A page can
 * be both. rrweb has a similar feature, but it posts every event to any parent and trusts what it receives.
 */
export const start: Extension<RecorderFramesParts>['start'] = (host) => {
  const stops = [
    host.recordsFrames ? startParent(host) : () => {},
    self.parent === self ? () => {} : startEmbedded(host),
  ]
  return () => stops.forEach((stop) => stop())
}
