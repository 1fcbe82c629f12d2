import { guarded } from '../lib/guard'
import type { Stop } from '../types'
import { patch } from './patch'
import { createSignal, listen } from './signal'

// What happens on the page without changing its elements, and what a person does there meanwhile. Most of these do not
// leave a shadow root, so that each root has its own listeners.
const EVENTS =
  'wheel touchmove keydown pointerdown scroll selectionchange focusin input change toggle select reset invalid copy play pause volumechange seeking fullscreenchange'.split(
    ' ',
  )

/** A function was called that shows a person something of which no event tells. */
const onCall = createSignal<void>((emit) => {
  const calls: [target: object | undefined, methods: string][] = [
    [navigator.clipboard && Object.getPrototypeOf(navigator.clipboard), 'write writeText'],
    [window, 'open alert confirm prompt print'],
    // How pages open a file dialog, and how they hand over a download.
    [HTMLElement.prototype, 'click'],
    [HTMLInputElement.prototype, 'showPicker'],
  ]
  const stops = calls.flatMap(([target, methods]) =>
    methods
      .split(' ')
      .flatMap((method) =>
        target && method in target ? patch(target as Record<string, () => void>, method, emit) : [],
      ),
  )
  return () => stops.forEach((stop) => stop())
})

/**
 * Tells of what a person may take for the effect of a click: mutations, events, calls. `watch` begins to, in the
 * document and every open shadow root, since a component may answer a click on another, and in the roots on a click's
 * `path` that are newer; `rest` leaves nothing behind.
 */
export const createEffects = (
  tellMutation: (records: MutationRecord[]) => void,
  tellEvent: (event: Event) => void,
  tellCall: () => void,
) => {
  const observer = new MutationObserver((records) => guarded(() => tellMutation(records)))
  const watched = new Set<Node>()
  const stops: Stop[] = []
  const add = (root: Document | ShadowRoot) => {
    if (watched.has(root)) return
    watched.add(root)
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true })
    stops.push(listen(root, EVENTS, tellEvent))
    root.querySelectorAll('*').forEach(({ shadowRoot }) => shadowRoot && add(shadowRoot))
  }
  return {
    watch: (path: readonly EventTarget[]): void => {
      // A navigation to another document is known when it begins, if the browser has this interface.
      if (!stops.length)
        stops.push(
          onCall(tellCall),
          listen((window as { navigation?: EventTarget }).navigation, ['navigate'], tellEvent),
        )
      add(document)
      // Documents and shadow roots; windows have no node type.
      path.forEach((node) => (node as Node).nodeType > Node.COMMENT_NODE && add(node as ShadowRoot))
    },
    rest: (): void => {
      observer.disconnect()
      watched.clear()
      stops.splice(0).forEach((stop) => stop())
    },
  }
}
