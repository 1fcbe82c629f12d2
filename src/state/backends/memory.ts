import type { Properties } from '../../types'
import type { Backend } from './backend'

/** Stores values in memory. They are lost with the page. */
export const memoryBackend = (): Backend => {
  let kept: Properties | undefined
  return {
    read: () => kept,
    write: (values) => {
      kept = values
      return true
    },
    clear: () => {
      kept = undefined
    },
  }
}
