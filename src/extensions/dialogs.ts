import type { Stop } from '../types'

/** Returns the modal dialog that was opened last: everything outside of it is inert. `opened`: in the order of opening. */
const topDialog = (opened: readonly Element[]): Element | undefined => {
  try {
    const modal = [...document.querySelectorAll('dialog:modal')]
    return [...opened].reverse().find((each) => modal.includes(each)) ?? modal.pop()
  } catch {
    // The browser does not know `:modal`.
    return undefined
  }
}

/**
 * Keeps an element usable while modal dialogs open and close: calls `place` with the topmost one, undefined for none, now
 * and whenever that may have changed or the element was removed from the page.
 */
export const followDialogs = (host: Element, place: (dialog: Element | undefined) => void): Stop => {
  let opened: Element[] = []
  place(topDialog(opened))
  const observer = new MutationObserver((records) => {
    const changed = records.filter(({ type }) => type === 'attributes').map(({ target }) => target as Element)
    if (!changed.length && host.isConnected) return
    opened = [...opened.filter((each) => !changed.includes(each)), ...changed].filter(
      (each) => each.isConnected && each.hasAttribute('open'),
    )
    try {
      place(topDialog(opened))
    } catch {
      // The page has no body, or broke a method that `place` calls.
    }
  })
  observer.observe(document.documentElement, { subtree: true, childList: true, attributeFilter: ['open'] })
  return () => observer.disconnect()
}
