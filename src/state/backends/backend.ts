import { isPlainObject, parseJson } from '../../lib/json'
import type { Properties } from '../../types'

/** A place that keeps one object of values. Nothing here throws: a place that fails forgets. */
export interface Backend {
  /** What is stored. Where nothing readable is: `missing`, which is what the page holds in memory. */
  read(missing?: Properties): Properties | undefined
  /** Returns whether everything is stored: a place may be full, forbidden, or take only part. */
  write(values: Properties): boolean
  clear(): void
  /** Whether the stored text differs from what was last read or written here. Undefined: a place of this page alone. */
  hasChanged?(): boolean
}

/** An object out of its JSON text; undefined for anything else. */
export const parseObject = (text: string | null | undefined): Properties | undefined => {
  const value = parseJson(text)
  return isPlainObject(value) ? value : undefined
}
