import { unclobbered } from '../../browser/dom'

/** Tags of interactive elements. */
export const INTERACTIVE = /^(a|button|form|input|select|textarea|label)$/

/** Returns the tag name in lower case. */
export const tagOf = (element: Element): string => element.tagName.toLowerCase()

/** Returns the element and its ancestors below `html`, innermost first, across shadow roots. Forms are `unclobbered`. */
export const pathOf = (element: Element): Element[] => {
  const path: Element[] = []
  // The bound stops at a cycle of shadow hosts.
  for (let at: Element | null | undefined = element; at && path.length < 1000;) {
    if (at instanceof HTMLFormElement) at = unclobbered(at)
    path.push(at)
    at = at.parentElement ?? (at.getRootNode() as Partial<ShadowRoot>).host
  }
  if (tagOf(path[path.length - 1]!) === 'html') path.pop()
  return path
}

/** Returns the element of an event, also inside an open shadow root, and never a text node. */
export const targetOf = (event: Event): Element | undefined => {
  const [innermost] = event.composedPath()
  const element = innermost instanceof Text ? innermost.parentElement : innermost
  return element instanceof Element ? element : undefined
}

// Spread, because MooTools replaces `Array.from` by one without a map function.
/** Returns the text of an element's own text nodes, with a space for each child element. */
export const textOfNodes = (element: Element): string =>
  [...element.childNodes].map((node) => (node instanceof Text ? node.data : ' ')).join('')

/** Whether any selector matches any element of a path. Ignores an invalid selector. */
export const anyMatches = (path: readonly Element[], selectors: readonly string[]): boolean =>
  selectors.some((selector) => {
    try {
      return path.some((element) => element.matches(selector))
    } catch {
      return false
    }
  })
