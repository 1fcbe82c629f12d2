import {
  NO_CALLER,
  type Result,
  type ReadLimits,
  type Statement,
  type Storage,
  StorageError,
} from '../../../storage/storage.ts'
import { createBatches } from './batches.ts'
import type { CellRun } from './cells.ts'
import { type Slice, sliceOf } from './slice.ts'

interface Kept {
  /** `undefined`: the statement's rows cannot be used. */
  readonly slice: Promise<unknown>
  readonly epoch: number
  bytes: number
}

// More cells take longer to add up than the engine takes to run a statement.
export const MAX_CELLS = 20_000
const MAX_SLICE_BYTES = 4_000_000
const TOO_LARGE: ReadonlySet<string> = new Set(['size', 'bytes'])
/** Whether an error says that a statement returned more than its limits allow. */
export const isTooLarge = (error: unknown): boolean => error instanceof StorageError && TOO_LARGE.has(error.kind)
/** Maximum size of all cells. */
const MAX_BYTES = 32_000_000
// Numbers and shared groups take less memory than their JSON, the arrays around them more.
const BYTES_PER_CHARACTER = 3
const KEPT_BYTES = 500

/** Loads cells, shares them between runs and keeps those that were used last. */
export interface Slices {
  /**
   * Returns the cells of a statement, as `read` returns them. `epoch`: they must include its events. NaN: they are not kept.
   * `undefined`: they cannot be used.
   */
  load<Value = Slice>(
    key: string,
    run: CellRun,
    statement: () => Statement,
    limits: ReadLimits,
    epoch?: number,
    more?: LoadOptions<Value>,
  ): Promise<Value | undefined>
}

export interface LoadOptions<Value> {
  readonly read?: (result: Result) => Value | undefined
  /** Returns the cells of the epoch from those of an older one, with less work. `undefined`: it cannot. */
  readonly update?: (before: Value, beforeEpoch: number) => Promise<Value | undefined>
}

export const createSlices = ({
  storage,
  maxBytes = MAX_BYTES,
}: {
  storage: Pick<Storage, 'run'>
  maxBytes?: number | undefined
}): Slices => {
  const unkept = createBatches<undefined, unknown>()
  /** Ordered by last use. */
  const kept = new Map<string, Kept>()
  let bytes = 0

  const forget = (key: string, entry: Kept) => {
    if (kept.get(key) !== entry) return
    kept.delete(key)
    bytes -= entry.bytes
  }

  const grow = (key: string, entry: Kept, more: number) => {
    if (kept.get(key) !== entry) return
    entry.bytes += more
    bytes += more
    for (const [oldKey, old] of kept) {
      if (bytes <= maxBytes) return
      forget(oldKey, old)
    }
  }

  const load = <Value>(
    key: string,
    run: CellRun,
    statement: () => Statement,
    limits: ReadLimits,
    epoch = 0,
    { read = (result) => sliceOf(result, run) as Value | undefined, update }: LoadOptions<Value> = {},
  ): Promise<Value | undefined> => {
    const fetch = async (entry?: Kept): Promise<unknown> => {
      try {
        // Others may wait for the same cells, so no caller can cancel them.
        const { idPrefix: _, ...shared } = limits
        const result = await storage.run(
          statement(),
          { ...shared, maxRows: MAX_CELLS, maxBytes: MAX_SLICE_BYTES, tables: [run.stored.table] },
          NO_CALLER,
        )
        if (entry) grow(key, entry, result.textLength * BYTES_PER_CHARACTER)
        return read(result)
      } catch (error) {
        // The run itself reports what is wrong. A slice that is too large stays so.
        if (entry && !isTooLarge(error)) forget(key, entry)
        return undefined
      }
    }
    if (Number.isNaN(epoch))
      return unkept.add(key, undefined, async (callers) => {
        const value = await fetch()
        return callers.map(() => value)
      }) as Promise<Value | undefined>
    const before = kept.get(key)
    if (before) {
      kept.delete(key)
      if (before.epoch >= epoch) {
        kept.set(key, before)
        return before.slice as Promise<Value | undefined>
      }
      bytes -= before.bytes
    }
    const next = async (): Promise<unknown> => {
      const old = update && ((await before?.slice) as Value | undefined)
      const updated = old && (await update(old, before!.epoch).catch(() => undefined))
      if (updated) grow(key, entry, before!.bytes)
      return updated ?? fetch(entry)
    }
    const entry: Kept = { slice: Promise.resolve().then(next), epoch, bytes: 0 }
    kept.set(key, entry)
    grow(key, entry, KEPT_BYTES)
    return entry.slice as Promise<Value | undefined>
  }
  return { load }
}
