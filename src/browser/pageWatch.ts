import { attempt, guarded } from '../lib/guard'
import type { Stop } from '../types'
import { patch } from './patch'
import { createSignal, listen } from './signal'

// Events that show a response without changing elements, and actions of the person after the click. Most do not leave a shadow
// root, so each root has its own listeners.
const EVENTS =
  'wheel touchmove keydown pointerdown scroll selectionchange focusin input change toggle select reset invalid copy play pause volumechange seeking fullscreenchange'.split(
    ' ',
  )

// Maximum number of elements near a click that are searched for shadow roots, so that the cost of a click does not
// depend on the page's size.
const MAX_SEARCHED = 250
const MAX_CHILDREN = 50

/** Fires when the page calls a function that shows something without an event. */
const onCall = createSignal<void>((emit) => {
  const calls: [target: object | undefined, methods: string][] = [
    [attempt(() => Object.getPrototypeOf(navigator.clipboard) as object), 'write writeText'],
    [window, 'open alert confirm prompt print'],
    // How pages open a file dialog, and how they start a download.
    [HTMLElement.prototype, 'click'],
    [HTMLInputElement.prototype, 'showPicker'],
  ]
  const stops = calls.flatMap(([target, methods]) =>
    methods
      .split(' ')
      .flatMap((method) =>
        target && method in target ? patch(target as Record<string, () => void>, method, () => emit()) : [],
      ),
  )
  return () => stops.forEach((stop) => stop())
})

/**
 * Reports anything a person could perceive as a response to a click: mutations, events, calls. `watch` starts reporting
 * for the document, the shadow roots on a click's `path`, and those of elements near it, since a component may
 * respond to a click on another. `disconnect` removes all listeners.
 */
export const createPageWatch = (
  onMutations: (records: MutationRecord[]) => void,
  onEvent: (event: Event) => void,
  onCalled: () => void,
) => {
  const observer = new MutationObserver((records) => guarded(() => onMutations(records)))
  const watched = new Set<Node>()
  const stops: Stop[] = []
  const add = (root: Document | ShadowRoot) => {
    if (watched.has(root)) return
    watched.add(root)
    observer.observe(root, { subtree: true, childList: true, attributeOldValue: true, characterData: true })
    // Window instead of the document: an element named `addEventListener` cannot hide its methods.
    stops.push(listen(root === document ? self : root, EVENTS, onEvent))
  }
  return {
    watch: (path: readonly EventTarget[]): void => {
      // With the Navigation API, a navigation to another document is known when it begins.
      if (!stops.length)
        stops.push(onCall(onCalled), listen((window as { navigation?: EventTarget }).navigation, ['navigate'], onEvent))
      add(document)
      // A page may hide the property `shadowRoot` of a root's host.
      for (const node of path) if (node instanceof ShadowRoot) add(node)
      // An element may be in it twice. Checking that would take longer than looking at it again.
      const near = [...path] as Partial<ShadowRoot & Element>[]
      for (const node of near) {
        const { shadowRoot } = node
        // Something else if the page defines it so, or if a form has a field of that name.
        if (shadowRoot instanceof ShadowRoot) {
          add(shadowRoot)
          near.push(shadowRoot)
        }
        // Not asked for its first child if no more are searched, which is faster.
        let child = near.length < MAX_SEARCHED && node.firstElementChild
        for (let count = 0; child && count < MAX_CHILDREN && near.length < MAX_SEARCHED; count++) {
          near.push(child)
          child = child.nextElementSibling
        }
      }
    },
    disconnect: (): void => {
      observer.disconnect()
      watched.clear()
      stops.splice(0).forEach((stop) => stop())
    },
  }
}
