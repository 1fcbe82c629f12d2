import type { ClickParts } from '../../host'
import type { ExtensionHost } from '../contract'

/** The host of the click detection. */
export type ClickHost = ExtensionHost & ClickParts
