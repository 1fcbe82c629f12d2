import { type CapturedMatchers, matchers } from 'trailmark/testing'

declare global {
  // oxlint-disable-next-line no-namespace -- Jest's types are a namespace.
  namespace jest {
    // oxlint-disable-next-line no-empty-object-type -- The parameters of Jest's own interface.
    interface Matchers<R, T = {}> extends CapturedMatchers {}
  }
}

const { expect } = globalThis as unknown as { expect: { extend(added: object): void } }

/** Adds the matchers to Jest's `expect`. `trailmark/testing/jest` does so when it is loaded as a set-up file. */
export const extendExpect = (target = expect): void => target.extend(matchers)

void extendExpect()
