import { ApiError } from '../lib/apiError.ts'
import { assertOwnPage, type ConsoleRequest } from './console.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

const policyFor = (ancestors: string) => [...POLICY, `frame-ancestors ${ancestors}`].join('; ')

/**
 * Headers of all responses about shares. They prevent indexing, caching except by the reader's browser, and referrers.
 */
export const VIEWER_HEADERS = {
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
} as const

/** Headers of the page of a link. No page may frame it. */
export const SHARED_HEADERS = {
  'content-security-policy': policyFor("'none'"),
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const

/** Headers of the page for frames. */
export const EMBED_HEADERS = { 'cross-origin-resource-policy': 'cross-origin' } as const

/** Returns the policy of the page for frames: the listed origins may frame it, or nobody. */
export const embedPolicy = (origins: readonly string[]): string =>
  policyFor(origins.length ? origins.join(' ') : "'none'")

/** Throws `ApiError` unless the page of a share sent the request: other pages cannot use a token that they know. */
export const assertViewerPage = (request: ConsoleRequest): void => {
  try {
    assertOwnPage(request)
  } catch (error) {
    throw error instanceof ApiError
      ? new ApiError(error.code, { detail: 'Shares are read by their own page only. Open the link instead.' })
      : error
  }
}
