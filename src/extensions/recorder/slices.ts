import { attempt } from './page'

/** How long the recorder works before it lets the page continue, ms. */
export const SLICE_MS = 8

/**
 * Runs `run` in a later task, after all tasks that wait. Not with `scheduler.yield`: its tasks go before the page's own, so a page
 * would wait for all slices. Input comes before both. A page that has replaced `MessageChannel` gets a timer.
 */
export const inNextTask = (run: () => void): void => {
  const channel = attempt(() => new MessageChannel())
  if (!channel) return void setTimeout(() => attempt(run))
  const { port1, port2 } = channel
  port1.onmessage = () => {
    port1.close()
    attempt(run)
  }
  port2.postMessage(0)
}

/** Returns a function that returns whether the current slice is over. It reads the clock at every eighth call only. */
export const startSlice = (ms = SLICE_MS): (() => boolean) => {
  const until = performance.now() + ms
  let calls = 0
  return () => (++calls & 7) === 0 && performance.now() > until
}
