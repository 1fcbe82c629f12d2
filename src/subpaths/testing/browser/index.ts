import type { createCollector as ofNode } from 'trailmark/testing/collector'

export { type CapturedMatchers, matchers, type PlanOrCheck } from '../matchers'
export { memoryTransport, type MemoryOptions, type MemoryTransport } from '../memory'
export type * from 'trailmark/testing/collector'

/** Collectors are servers, which need Node. */
export const createCollector: typeof ofNode = async () => {
  throw new Error(
    'createCollector() needs Node. Start it in the set-up of the test runner, or import it from "trailmark/testing/collector". In this environment, use memoryTransport().',
  )
}
