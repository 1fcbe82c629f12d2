// Sources of incremental events that a person causes: moves, interactions, scrolling, resizing, input, touch, media, drag.
const ACTIVE = [1, 2, 3, 4, 5, 6, 7, 12]

/** Whether an rrweb event shows that a person is active. */
export const isActive = ({ type, data }: { type: number; data: unknown }): boolean =>
  type === 3 && ACTIVE.includes((data as { source: number }).source)

/**
 * Follows whether the person is active. `next` returns what changes with an event: `idle` when nothing was done for `thresholdMs`, `active` when the
 * person is back.
 */
export const createIdle = (thresholdMs: () => number, startedAt: number) => {
  let lastActive = startedAt
  let isIdle = false
  return {
    isIdle: () => isIdle,
    lastActive: () => lastActive,
    next: (event: { type: number; data: unknown; timestamp: number }): 'idle' | 'active' | undefined => {
      if (isActive(event)) {
        lastActive = event.timestamp
        const wasIdle = isIdle
        isIdle = false
        return wasIdle ? 'active' : undefined
      }
      if (isIdle || event.timestamp - lastActive < thresholdMs()) return undefined
      isIdle = true
      return 'idle'
    },
  }
}
