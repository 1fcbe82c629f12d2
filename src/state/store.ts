import { later } from '../lib/guard'
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

  const merged = (): Properties => {
    const result: Properties = { ...backend.read(), ...unwritten }
    for (const name of Object.keys(result)) if (result[name] === undefined) delete result[name]
    return result
  }
  const refresh = () => {
    values = merged()
  }
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
      values = { ...values, ...changes }
      for (const name of Object.keys(changes)) if (changes[name] === undefined) delete values[name]
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
