/** The scrolling part of a page: its document, or an element that takes most of the window. Lengths are in CSS px. */
export interface ScrollRoot {
  /** The element; unset if the document scrolls. */
  element?: Element
  left: number
  top: number
  /** Height of the page: the content, and the space above and below the element. */
  height: number
}

const ofElement = (element: Element): ScrollRoot => ({
  element,
  left: element.scrollLeft,
  top: element.scrollTop,
  height: element.scrollHeight + innerHeight - element.clientHeight,
})

const ofDocument = (): ScrollRoot => {
  const { scrollHeight } = document.documentElement
  return { left: scrollX, top: scrollY, height: Math.max(scrollHeight, innerHeight) }
}

const documentScrolls = () => document.documentElement.scrollHeight > innerHeight + 1

/** Returns the computed style of an element; undefined if the page has replaced the function by one that throws. */
export const styleOf = (element: Element): CSSStyleDeclaration | undefined => {
  try {
    return getComputedStyle(element)
  } catch {
    return undefined
  }
}

/** Whether an element scrolls, and takes at least half of the window's width and height. */
const isLarge = (element: Element) =>
  element.scrollHeight > element.clientHeight + 1 &&
  element.clientWidth * 2 >= innerWidth &&
  element.clientHeight * 2 >= innerHeight &&
  /^(auto|scroll)$/.test(styleOf(element)?.overflowY ?? '')

/** Returns the first element that a selector matches. Invalid selectors match none. */
export const find = (selector: string): Element | null => {
  try {
    return document.querySelector(selector)
  } catch {
    return null
  }
}

/**
 * Returns the scroll root of the elements in `path`: the first that a selector in `configured` matches, else, if the document
 * does not scroll, a large one that does, else the document.
 */
export const scrollRootOf = (path: readonly Element[], configured: readonly string[]): ScrollRoot => {
  const wanted = configured.map(find).find((element) => element && path.includes(element))
  const element = wanted ?? (documentScrolls() ? undefined : path.find(isLarge))
  return element && element !== document.documentElement && element !== document.body
    ? ofElement(element)
    : ofDocument()
}
