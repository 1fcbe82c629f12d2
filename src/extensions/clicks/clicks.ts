import type { ClickParts } from '../../host'
import type { Extension } from '../contract'
import { createDetector } from './detector'

/** Detects rage and dead clicks, and dead swipes. */
export const start: Extension<ClickParts>['start'] = (host) => {
  const detector = createDetector(host)
  host.onActivity(detector.onActivity)
  return detector.stop
}
