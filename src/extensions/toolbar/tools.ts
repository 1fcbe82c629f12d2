import type { ToolbarParts } from '../../host'
import type { ExtensionHost } from '../contract'
import type { EventLog } from './eventLog'
import type { Layer } from './layer'
import type { Service, Session } from './service'

// Panels use layout effects, which run and end at once. Others would leave a timer when the toolbar ends.

/** Tools for the panels of the toolbar. */
export interface Tools {
  host: ToolbarParts & ExtensionHost
  layer: Layer
  service: Service
  session: Session
  events: EventLog
}

/** Properties of a panel. */
export interface PanelProps {
  tools: Tools
  /** Where panels draw on the page. It receives no pointer. */
  overlay: HTMLElement
  /** Whether the person has opened the panel on this page, and not on the page before. */
  isOpenedHere: boolean
  /** Makes screen readers announce `text`. */
  announce(text: string): void
}
