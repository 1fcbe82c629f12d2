import { type CapturedMatchers, matchers } from 'trailmark/testing'
import { expect } from 'vitest'

declare module 'vitest' {
  // oxlint-disable-next-line no-empty-object-type, no-explicit-any -- The parameters of Vitest's own interface.
  interface Matchers<T = any> extends CapturedMatchers {}
}

/** Adds the matchers to Vitest's `expect`. `trailmark/testing/vitest` does so when it is loaded as a set-up file. */
export const extendExpect = (target = expect): void => target.extend(matchers)

void extendExpect()
