export { type CapturedMatchers, matchers, type PlanOrCheck } from './matchers'
export { memoryTransport, type MemoryOptions, type MemoryTransport } from './memory'
export * from 'trailmark/testing/collector'
