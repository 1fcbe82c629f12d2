import { useState } from 'preact/hooks'
import { readStored, writeStored } from './stored.ts'

export interface StoredDraft<Value> {
  readonly value: Value
  /** Whether it differs from what is saved. */
  readonly isChanged: boolean
  /** The version of what was saved when the draft began. */
  readonly basedOn: number | undefined
  readonly change: (value: Value) => void
  /** Drops the draft: it was saved, or is not wanted. */
  readonly discard: () => void
}

interface Stored<Value> {
  readonly value: Value
  readonly basedOn: number | undefined
}

/**
 * An unsaved edit that survives leaving the page, kept in this browser by `name`. It begins as `saved`, whose `version` it
 * remembers.
 */
export const useDraft = <Value>(name: string, saved: Value, version: number | undefined): StoredDraft<Value> => {
  const [stored, setStored] = useState(() => readStored<Stored<Value>>(name))
  const keep = (next: Stored<Value> | undefined) => {
    setStored(next)
    writeStored(name, next)
  }
  return {
    value: stored?.value ?? saved,
    isChanged: stored !== undefined && JSON.stringify(stored.value) !== JSON.stringify(saved),
    basedOn: stored ? stored.basedOn : version,
    change: (value) => keep({ value, basedOn: stored ? stored.basedOn : version }),
    discard: () => keep(undefined),
  }
}
