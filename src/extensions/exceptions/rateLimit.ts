import type { ErrorTrackingConfig } from '../../types'

const REFILL_MS = 10_000
// Types beyond it share a bucket: a page can throw under any number of names.
const MAX_TYPES = 200

const within = (value: number | undefined, fallback: number) => Math.min(100, Math.max(0, value ?? fallback))

/** Returns a function that takes a token from the bucket of a type, and returns whether there was one. */
export const createRateLimit = (
  limits: () => ErrorTrackingConfig,
  now: () => number = () => Date.now(),
): ((type: string) => boolean) => {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (type) => {
    const { exceptionRateLimiterBucketSize, exceptionRateLimiterRefillRate } = limits()
    const size = within(exceptionRateLimiterBucketSize, 10)
    const name = buckets.has(type) || buckets.size < MAX_TYPES ? type : ''
    const bucket = buckets.get(name) ?? { tokens: size, at: now() }
    buckets.set(name, bucket)
    const refills = Math.floor((now() - bucket.at) / REFILL_MS)
    if (refills > 0) {
      bucket.tokens = Math.min(size, bucket.tokens + refills * within(exceptionRateLimiterRefillRate, 1))
      bucket.at += refills * REFILL_MS
    }
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
