// Longest wait for a title, ms. A page may have the same title as the one before.
const MAX_WAIT_MS = 100

/**
 * Runs `run` when the document has another title than `before`, when the wait is over, or when the page is left. Returns a
 * function that cancels it.
 */
export const whenTitled = (before: string, run: () => void): (() => void) => {
  const end = () => {
    clearTimeout(timer)
    observer.disconnect()
    removeEventListener('pagehide', finish, true)
  }
  const finish = () => {
    end()
    run()
  }
  const timer = setTimeout(finish, MAX_WAIT_MS)
  const observer = new MutationObserver(() => document.title !== before && finish())
  if (document.title === before)
    observer.observe(document.head, { subtree: true, childList: true, characterData: true })
  // Before the SDK's own listener.
  addEventListener('pagehide', finish, true)
  if (document.title !== before) finish()
  return end
}
