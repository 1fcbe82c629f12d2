import type { RecorderFramesParts } from '../../host'
import type { Extension } from '../contract'
import { startEmbedded } from './embedded'
import { startParent } from './parent'

/**
 * Records frames of other origins: the recorder in a frame passes what it records to the recorder of the page around it. A page can be both. rrweb
 * has such a feature too, which posts every event to any parent, and trusts what it receives.
 */
export const start: Extension<RecorderFramesParts>['start'] = (host) => {
  const stops = [
    host.recordsFrames ? startParent(host) : () => {},
    self.parent === self ? () => {} : startEmbedded(host),
  ]
  return () => stops.forEach((stop) => stop())
}
