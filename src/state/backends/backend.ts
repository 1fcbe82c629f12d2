import { isPlainObject, parseJson } from '../../lib/json'
import type { Properties, Stop } from '../../types'

/** A place that keeps one object of values. Nothing here throws: a place that fails forgets. */
export interface Backend {
  /** What is kept; undefined: nothing, or nothing readable. */
  read(): Properties | undefined
  /** Whether it keeps them: a place may be full, forbidden, or take only part. */
  write(values: Properties): boolean
  clear(): void
  /** Tells when another tab has written. */
  onForeignWrite?(listener: () => void): Stop
}

/** An object out of its JSON text; undefined for anything else. */
export const parseObject = (text: string | null | undefined): Properties | undefined => {
  const value = parseJson(text)
  return isPlainObject(value) ? value : undefined
}
