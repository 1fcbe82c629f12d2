import { isPlainObject, parseJson } from '../../lib/json'
import type { Properties } from '../../types'

/** A storage of one object of values. Nothing here throws; a storage that fails is empty. */
export interface Backend {
  /** Returns what is stored, or `missing` if nothing readable is. */
  read(missing?: Properties): Properties | undefined
  /** Returns whether everything was stored. Storage may be full, forbidden, or limited. */
  write(values: Properties): boolean
  clear(): void
  /** Whether the stored text differs from what was last read or written here. Unset for memory. */
  hasChanged?(): boolean
}

/** Parses the JSON text of an object; undefined for anything else. */
export const parseObject = (text: string | null | undefined): Properties | undefined => {
  const value = parseJson(text)
  return isPlainObject(value) ? value : undefined
}
