import { guarded } from '../lib/guard'
import type { Stop } from '../types'
import { patch } from './patch'
import { listen } from './signal'

// What happens on the page without changing its elements, and what a person does there meanwhile. Most of these do not
// leave a shadow root, so that each root has its own listeners.
const EVENTS = 'wheel touchmove keydown pointerdown scroll selectionchange focusin input change toggle select reset invalid copy play pause volumechange seeking fullscreenchange'.split(' ')

/** Functions that show a person something of which no event tells. */
const calls = (): [target: object | undefined, methods: string][] => [
  [navigator.clipboard && Object.getPrototypeOf(navigator.clipboard), 'write writeText'],
  [window, 'open alert confirm prompt print'],
  // How pages open a file dialog, and how they hand over a download.
  [HTMLElement.prototype, 'click'],
  [HTMLInputElement.prototype, 'showPicker'],
]

/**
 * Tells of what a person may take for the effect of a click: mutations, events, calls. `watch` begins, or adds
 * documents and shadow roots to those that are watched, and answers whether all of them were; `rest` leaves nothing
 * behind.
 */
export const createEffects = (onMutation: (records: MutationRecord[]) => void, onEvent: (event: Event) => void, onCall: () => void) => {
  const observer = new MutationObserver((records) => guarded(() => onMutation(records)))
  const watched = new Set<Node>()
  let stops: Stop[] = []
  return {
    watch: (roots: readonly Node[]): boolean => {
      if (!stops.length) {
        // A navigation to another document is known when it begins, if the browser has this interface.
        stops.push(listen((window as { navigation?: EventTarget }).navigation, ['navigate'], onEvent))
        for (const [target, methods] of calls()) {
          for (const method of methods.split(' ')) if (target && method in target) stops.push(patch(target as Record<string, () => void>, method, onCall))
        }
      }
      const added = roots.filter((root) => !watched.has(root))
      for (const root of added) {
        watched.add(root)
        observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true })
        stops.push(listen(root, EVENTS, onEvent))
      }
      return !added.length
    },
    rest: (): void => {
      observer.disconnect()
      watched.clear()
      stops.splice(0).forEach((stop) => stop())
    },
  }
}
