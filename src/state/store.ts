import { later } from '../lib/guard'
import { toJson } from '../lib/json'
import { has, pick } from '../lib/objects'
import type { Properties, Stop } from '../types'
import type { Backend } from './backends/backend'
import { reconcile } from './backends/both'
import { memoryBackend } from './backends/memory'
import { KEYS } from './keys'

/** Values that outlive the page. What is in memory is right for this page; the stored copy follows it. */
export interface Store {
  get<T>(name: string): T | undefined
  all(): Readonly<Properties>
  /** A value of undefined forgets the name. */
  set(values: Properties): void
  /** Takes over what other tabs have written; what this one has not written yet stays. */
  refresh(): void
  /** The same where another tab, or the page, has changed the stored copy, which this tab then mends. Costs little. */
  sync(): void
  /** Writes what waits to be written, and what has vanished from the backend. */
  flush(): void
  /** Moves everything to another backend and empties the old one. */
  moveTo(backend: Backend): void
  stop: Stop
}

// Long enough for what another tab writes in a task of its own.
const SETTLE_MS = 50
// How often a tab looks whether what it has set has lasted.
const CHECKS = 3

/** When the visitor of these values last became another, ms; 0: never. */
export const resetAt = (values: Properties): number =>
  values.$last_posthog_reset ? Date.parse(values.$last_posthog_reset as string) || 0 : 0

const identityAt = (values: Properties) => (values.$identity_at as number | undefined) ?? 0
const isSame = (a: unknown, b: unknown) => toJson(a) === toJson(b)
const superProperties = (values: Properties) => pick(values, (name) => !has(KEYS, name))

/**
 * A store over `backend`. `beforeWrite` may move it elsewhere: what holds when a write is due may differ from what held
 * when it was planned.
 *
 * Writes are collected and leave in one task, name by name: what another tab has written under other names meanwhile
 * stays, and this tab takes it over. A tab that reads before this one writes, and writes after it, puts back what was
 * there before: this tab looks for that, and writes again. A copy that is missing or broken was removed by the page, since no tab removes one
 * but by opting out: it is written again. A copy from after another tab's `reset` is the next person's: it replaces
 * everything here.
 */
export const createStore = (backend: Backend = memoryBackend(), beforeWrite = () => {}): Store => {
  let values: Properties = { ...backend.read() }
  let unwritten: Properties = {}
  /** What was set lately, and what it replaced. */
  let recent: Properties = {}
  const replaced: Properties = {}
  let checks = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  /** From now on the values are those of `under` with `over` laid over them. */
  const lay = (under: Properties | undefined, over: Properties) => {
    values = pick({ ...under, ...over }, (_, value) => value !== undefined)
  }
  const refresh = () => {
    const stored = backend.read(values) ?? values
    unwritten = { ...pick(recent, (name) => isSame(stored[name], replaced[name])), ...unwritten }
    const isOurs = resetAt(stored) < resetAt(values) || (values.distinct_id && !stored.distinct_id)
    if (resetAt(stored) > resetAt(values)) unwritten = recent = {}
    // An id that is stored gives way only to one that was decided later, and takes the place of all that is known of it.
    else if (!isOurs && stored.distinct_id !== values.distinct_id && identityAt(stored) >= identityAt(values))
      unwritten = superProperties(unwritten)
    lay(isOurs ? values : stored, unwritten)
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    beforeWrite()
    refresh()
    // What the backend does not keep lives on here, and the next write tries again.
    if (Object.keys({ ...values, ...unwritten }).length && backend.write(values)) unwritten = {}
  }
  const sync = () => {
    if (!backend.hasChanged?.()) return
    refresh()
    timer ??= later(flush)
  }
  const check = () => {
    sync()
    if (--checks) later(check, SETTLE_MS)
    else recent = {}
  }

  return {
    get: <T>(name: string) => values[name] as T | undefined,
    all: () => values,
    set: (changes) => {
      sync()
      for (const name in changes)
        // The session's activity is written again with the next event.
        if (name !== '$sesid' && !isSame(changes[name], values[name])) {
          if (!has(unwritten, name)) replaced[name] = values[name]
          recent[name] = changes[name]
          if (!checks) later(check, SETTLE_MS)
          checks = CHECKS
        }
      Object.assign(unwritten, changes)
      lay(values, changes)
      timer ??= later(flush)
    },
    refresh,
    sync,
    flush,
    moveTo: (next) => {
      refresh()
      // Ids that were never stored give way to those that another tab has stored; super properties stay.
      const stored = backend.hasChanged ? undefined : next.read()
      lay(superProperties(values), reconcile(stored, values)!)
      backend.clear()
      backend = next
      unwritten = pick(values, (name, value) => value !== stored?.[name])
      // The tab that has stored it still writes: of two writes at one moment the browser keeps one.
      if (stored) timer ??= later(flush, SETTLE_MS)
      else if (backend.write(values)) unwritten = {}
    },
    stop: flush,
  }
}
