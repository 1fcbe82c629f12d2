import type { ClickParts } from '../../host'
import type { ExtensionHost } from '../contract'

/** What the detection of rage and dead clicks works with. */
export type ClickHost = ExtensionHost & ClickParts
