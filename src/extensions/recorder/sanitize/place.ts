import type { Policy } from './policy'

/** Where a node is: whether its text is masked, and whether it is inside an element that is recorded as a box. */
export interface Place {
  isMasked: boolean
  isHidden: boolean
}

const hasClass = (element: Element, pattern: RegExp | undefined): boolean =>
  !!pattern && [...element.classList].some((name) => pattern.test(name))

/** Whether the element itself masks the text in it. */
export const masksText = (element: Element, { maskSelector, maskClass, typedFields }: Policy): boolean =>
  (!!maskSelector && element.matches(maskSelector)) || hasClass(element, maskClass) || !!typedFields?.has(element)

/** Whether the element itself is recorded as a box. */
export const hides = (element: Element, { blockSelector, blockClass }: Policy): boolean =>
  (!!blockSelector && element.matches(blockSelector)) || hasClass(element, blockClass)

/** Returns the parent, also of a shadow root and of a frame's document. */
const parentOf = (node: Node): Node | null =>
  node === document
    ? null
    : (node.parentNode ??
      (node as Partial<ShadowRoot>).host ??
      (node as Partial<Document>).defaultView?.frameElement ??
      null)

/** Returns the place of nodes, which it remembers until the running event is done. */
export const createPlaces = (policy: Policy) => {
  let known = new Map<Node, Place>()
  const placeOf = (node: Node | null | undefined): Place => {
    // Nothing is known about a node that is gone.
    if (!node) return { isMasked: true, isHidden: false }
    const found = known.get(node)
    if (found) return found
    const parent = parentOf(node)
    const around = parent ? placeOf(parent) : { isMasked: policy.isStrict, isHidden: false }
    const place =
      node.nodeType === Node.ELEMENT_NODE
        ? {
            isMasked: around.isMasked || masksText(node as Element, policy),
            isHidden: around.isHidden || hides(node as Element, policy),
          }
        : // A frame whose URL said another origin.
          parent && node.nodeType === Node.DOCUMENT_NODE && !policy.recordsSameOriginFrames
          ? { ...around, isHidden: true }
          : around
    known.set(node, place)
    return place
  }
  return {
    placeOf,
    forget: (): void => {
      known = new Map()
    },
  }
}

export type Places = ReturnType<typeof createPlaces>
