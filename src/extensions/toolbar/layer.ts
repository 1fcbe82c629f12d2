import type { ToolbarParts } from '../../host'
import type { Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { followDialogs } from '../dialogs'
import { addStyles } from './styles'

/** Id of the toolbar's element. Only one toolbar can be on a page. */
const ID = '__POSTHOG_TOOLBAR__'

// Inline and important, because rules of the page such as `div:empty { display: none }` match the element too.
const STYLE = {
  all: 'initial',
  display: 'block',
  position: 'fixed',
  inset: '0 auto auto 0',
  width: '0',
  height: '0',
  margin: '0',
  padding: '0',
  border: '0',
  overflow: 'visible',
  background: 'none',
  'z-index': '2147483647',
}

// Not passed on to the page: shortcuts, focus traps, and what closes when something outside of it is clicked.
const OWN_EVENTS =
  'click dblclick auxclick contextmenu mousedown mouseup pointerdown pointerup touchstart touchend keydown keyup keypress beforeinput input change focusin focusout copy paste wheel'.split(
    ' ',
  )

/** The toolbar's own layer above the page. */
export interface Layer {
  root: ShadowRoot
  /** Whether an event happened in the layer. */
  contains(event: Event): boolean
  remove: Stop
}

/**
 * Adds the layer to the page: in the top layer of the browser, under `html`, or inside the open modal dialog. Returns
 * undefined if the page has a toolbar already.
 */
export const addLayer = ({ listen, later }: ToolbarParts & ExtensionHost): Layer | undefined => {
  if (document.getElementById(ID)) return undefined
  const host = document.createElement('div')
  host.id = ID
  // The protocol's class, and the class that excludes it from all capture.
  host.className = 'toolbar-global-fade-container ph-no-capture'
  host.setAttribute('popover', 'manual')
  for (const [name, value] of Object.entries(STYLE)) host.style.setProperty(name, value, 'important')
  const root = host.attachShadow({ mode: 'open' })
  // Hides the toolbar from the page's scripts, and from dead click detection, because it is not the page's response.
  Object.defineProperty(host, 'shadowRoot', { value: null, configurable: true })
  addStyles(root)

  let isRemoved = false
  const placeIn = (parent: Element) => {
    if (isRemoved || host.parentNode === parent) return
    const focused = root.activeElement
    parent.append(host)
    host.dir = getComputedStyle(document.documentElement).direction
    try {
      host.showPopover()
    } catch {
      // Browsers without popovers show it by its z-index.
    }
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
  placeIn(document.documentElement)
  const stopFollowing = followDialogs(host, (dialog = document.documentElement) => {
    if (host.isConnected) placeIn(dialog)
    // In a later task, because a page may remove it again at once.
    else later(() => placeIn(dialog), 0)
  })

  const block = (event: Event) => {
    if (event.isTrusted) return
    event.stopImmediatePropagation()
    event.preventDefault()
  }
  const stops = [
    // Scripts of the page must not be able to use the toolbar.
    listen(root, OWN_EVENTS, block, { capture: true }),
    listen(host, OWN_EVENTS, (event) => event.stopPropagation(), { passive: true }),
  ]
  return {
    root,
    contains: (event) => event.composedPath().includes(host),
    remove: () => {
      isRemoved = true
      stopFollowing()
      stops.forEach((stop) => stop())
      host.remove()
    },
  }
}
