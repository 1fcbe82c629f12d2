export { type CapturedMatchers, matchers, type PlanCheck } from './matchers'
export { memoryTransport, type MemoryOptions, type MemoryTransport } from './memory'
export * from 'trailmark/testing/collector'
