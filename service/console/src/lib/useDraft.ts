import { useState } from 'preact/hooks'
import { readStored, writeStored } from './stored.ts'

export interface StoredDraft<Value> {
  readonly value: Value
  /** Whether it differs from what is saved. */
  readonly isChanged: boolean
  /** The version of what was saved when the draft began. */
  readonly basedOn: number | undefined
  readonly change: (value: Value) => void
  /** Deletes the draft, after it was saved or to undo its changes. */
  readonly discard: () => void
}

interface Stored<Value> {
  readonly value: Value
  readonly basedOn: number | undefined
}

/**
 * Returns an unsaved edit, which is stored in this browser under `name` and survives leaving the page. It begins as `saved`,
 * and records the `version` of that.
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
