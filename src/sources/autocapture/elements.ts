/** Tags that a person does something with. */
export const INTERACTIVE = /^(a|button|form|input|select|textarea|label)$/

/** Tag name in lower case. */
export const tagOf = (element: Element): string => element.tagName.toLowerCase()

const parentOf = (element: Element): Element | null =>
  element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null

/** The element and its ancestors below `html`, innermost first, out of shadow roots too. */
export const pathOf = (element: Element): Element[] => {
  const path: Element[] = []
  // The bound only stops a page that builds a circle of shadow hosts.
  for (let at: Element | null = element; at && tagOf(at) !== 'html' && path.length < 1000; at = parentOf(at))
    path.push(at)
  return path
}

/** The element an event happened on: inside an open shadow root, and never a text node. */
export const targetOf = (event: Event): Element | undefined => {
  const [innermost] = event.composedPath() as Node[]
  const node = innermost?.nodeType === Node.TEXT_NODE ? innermost.parentElement : innermost
  return node?.nodeType === Node.ELEMENT_NODE ? (node as Element) : undefined
}

const textOfNodes = (element: Element) =>
  Array.from(element.childNodes, (node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue : ' ')).join('')

/** An element's own text; of links and buttons also that of the spans inside, but for those that the page has marked. */
export const ownText = (element: Element): string =>
  /^(a|button)$/.test(tagOf(element))
    ? [
        element,
        ...Array.from(element.querySelectorAll('span')).filter((span) => !span.closest('.ph-sensitive,.ph-no-capture')),
      ]
        .map(textOfNodes)
        .join(' ')
    : textOfNodes(element)

/** Whether any selector matches any element of a path. A selector that is none matches nothing. */
export const anyMatches = (path: readonly Element[], selectors: readonly string[]): boolean =>
  selectors.some((selector) => {
    try {
      return path.some((element) => element.matches(selector))
    } catch {
      return false
    }
  })
