import { later } from '../lib/guard'
import { pick } from '../lib/objects'
import type { Properties, Stop } from '../types'
import type { Backend } from './backends/backend'
import { memoryBackend } from './backends/memory'

/** Values that outlive the page, in memory while it lives. */
export interface Store {
  get<T>(name: string): T | undefined
  all(): Readonly<Properties>
  /** A value of undefined forgets the name. */
  set(values: Properties): void
  /** Takes over what other tabs have written; what this one has not written yet stays. */
  refresh(): void
  /** Writes what waits to be written. */
  flush(): void
  /** Moves everything to another backend and empties the old one. */
  moveTo(backend: Backend): void
  stop: Stop
}

/**
 * A store over `backend`.
 *
 * Writes are collected and leave in one task, name by name: what another tab has written under other names meanwhile
 * stays, and this tab takes it over.
 */
export const createStore = (backend: Backend = memoryBackend()): Store => {
  let values: Properties = { ...backend.read() }
  let unwritten: Properties = {}
  let timer: ReturnType<typeof setTimeout> | undefined

  /** From now on the values are those of `under` with `over` laid over them. */
  const lay = (under: Properties | undefined, over: Properties) => {
    values = pick({ ...under, ...over }, (_, value) => value !== undefined)
  }
  const refresh = () => lay(backend.read(), unwritten)
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (!Object.keys(unwritten).length) return
    refresh()
    // What the backend does not keep lives on here, and the next write tries again.
    if (backend.write(values)) unwritten = {}
  }
  let stopListening = backend.onForeignWrite?.(refresh)

  return {
    get: <T>(name: string) => values[name] as T | undefined,
    all: () => values,
    set: (changes) => {
      Object.assign(unwritten, changes)
      lay(values, changes)
      timer ??= later(flush)
    },
    refresh,
    flush,
    moveTo: (next) => {
      flush()
      stopListening?.()
      backend.clear()
      backend = next
      unwritten = backend.write(values) ? {} : values
      stopListening = backend.onForeignWrite?.(refresh)
    },
    stop: () => {
      flush()
      stopListening?.()
    },
  }
}
