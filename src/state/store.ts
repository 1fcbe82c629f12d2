import { hasPage } from '../browser/page'
import { later } from '../lib/guard'
import { toJson } from '../lib/json'
import { has, pick } from '../lib/objects'
import type { Properties, Stop } from '../types'
import type { Backend } from './backends/backend'
import { reconcile } from './backends/both'
import { memoryBackend } from './backends/memory'
import { isOfKey, KEYS } from './keys'
import { identityAt, resetAt } from './newest'

/** Values that outlive the page. Reads use the copy in memory, which is written to storage later. */
export interface Store {
  /** Returns a value; undefined if there is none, or if its type does not fit its name. */
  get<T>(name: string): T | undefined
  all(): Readonly<Properties>
  /** Sets values; undefined removes the name. */
  set(values: Properties): void
  /** Reads changes from other tabs, and keeps the unwritten changes of this tab. */
  refresh(): void
  /** Does the same if the stored copy has changed, and repairs a copy that the page has removed. Cheap. */
  sync(): void
  /** Writes pending changes, and values that were removed from the backend. */
  flush(): void
  /** Calls `run` and returns its result. Writes everything that `run` flushes at once, when `run` ends. */
  inOneWrite<T>(run: () => T): T
  /** Moves everything to another backend and empties the old one. */
  moveTo(backend: Backend): void
  stop: Stop
}

// Long enough that values set during the start of a page are written at once. A worker may be terminated after any
// task.
const WRITE_MS = 20
// Longer than a task of another tab that writes.
const SETTLE_MS = 50
// Number of times a tab checks that its writes have lasted. The pause doubles after each check, because a tab on a busy
// machine may stop for hundreds of milliseconds between its read and its write.
const CHECKS = 4

const isSame = (a: unknown, b: unknown) => toJson(a) === toJson(b)
const superProperties = (values: Properties) => pick(values, (name) => !has(KEYS, name))
/** Whether other values belong to another person. An anonymous visitor who is identified stays the same person. */
const isNextPerson = (values: Properties, next: Properties) =>
  !!values.distinct_id &&
  values.distinct_id !== next.distinct_id &&
  (!next.distinct_id || resetAt(values) !== resetAt(next) || values.$user_state === 'identified')

/**
 * Creates a store over `backend`. `beforeWrite` may move it to another backend, because consent or options may have
 * changed since the write was scheduled.
 *
 * Changes are collected and written in one task, merged by name into what other tabs have written. If another tab
 * reads before that write and writes after it, it undoes the change: this tab checks for that, `checks` times, and
 * writes again. A copy that is missing or broken was removed by the page, because tabs remove one only to opt out: it is
 * written again. A copy from after another tab's `reset` belongs to the next person and replaces everything here.
 *
 * `onLeave` is called before this tab or another one replaces the person. Until it returns, the store has the previous
 * person's values and drops what is set.
 */
export const createStore = (
  backend: Backend = memoryBackend(),
  beforeWrite = () => {},
  checks = CHECKS,
  onLeave = () => {},
): Store => {
  let values: Properties = { ...backend.read() }
  let unwritten: Properties = {}
  /** Recent changes, and the values they replaced. */
  let recent: Properties = {}
  const replaced: Properties = {}
  let checksLeft = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHeld = false
  let isLeaving = false
  /** Whether `flush` was called while writes were held. */
  let isDue = false

  /** Replaces all values by `under`, overridden by `over`. */
  const lay = (under: Properties | undefined, over: Properties) => {
    const next = pick({ ...under, ...over }, (_, value) => value !== undefined)
    if (!isLeaving && isNextPerson(values, next)) {
      const kept = [{ ...unwritten }, { ...recent }] as const
      isLeaving = true
      onLeave()
      isLeaving = false
      ;[unwritten, recent] = kept
    }
    values = next
  }
  const refresh = () => {
    if (isLeaving) return
    const stored = backend.read(values) ?? values
    unwritten = { ...pick(recent, (name) => isSame(stored[name], replaced[name])), ...unwritten }
    const isOurs = resetAt(stored) < resetAt(values) || (values.distinct_id && !stored.distinct_id)
    if (resetAt(stored) > resetAt(values)) unwritten = recent = {}
    // A stored id is replaced only by one that was set later.
    else if (!isOurs && stored.distinct_id !== values.distinct_id && identityAt(stored) >= identityAt(values)) {
      unwritten = superProperties(unwritten)
      recent = superProperties(recent)
    }
    lay(isOurs ? values : stored, unwritten)
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    isDue = isHeld
    if (isHeld || isLeaving) return
    beforeWrite()
    refresh()
    // The next write retries what the backend did not store.
    if (Object.keys({ ...values, ...unwritten }).length && backend.write(values)) unwritten = {}
  }
  const sync = () => {
    if (isLeaving || !backend.hasChanged?.()) return
    refresh()
    timer ??= later(flush)
  }
  const check = () => {
    sync()
    if (--checksLeft) later(check, SETTLE_MS * 2 ** (checks - checksLeft))
    else recent = {}
  }

  return {
    get: <T>(name: string) => (isOfKey(name, values[name]) ? (values[name] as T | undefined) : undefined),
    all: () => values,
    set: (changes) => {
      sync()
      for (const name in changes)
        // The session's activity is written again with the next event.
        if (checks && name !== '$sesid' && !isSame(changes[name], values[name])) {
          if (!has(unwritten, name)) replaced[name] = values[name]
          recent[name] = changes[name]
          if (!checksLeft) later(check, SETTLE_MS)
          checksLeft = checks
        }
      Object.assign(unwritten, changes)
      lay(values, changes)
      timer ??= later(flush, hasPage() ? WRITE_MS : 0)
    },
    refresh,
    sync,
    flush,
    inOneWrite: (run) => {
      isHeld = true
      try {
        return run()
      } finally {
        isHeld = false
        if (isDue) flush()
      }
    },
    moveTo: (next) => {
      refresh()
      // Another tab's ids replace ids that were never stored. Super properties stay.
      const stored = backend.hasChanged ? undefined : next.read()
      lay(superProperties(values), reconcile(stored, values)!)
      backend.clear()
      backend = next
      unwritten = pick(values, (name, value) => value !== stored?.[name])
      // The other tab is still writing. If both write simultaneously, the browser keeps only one of the writes.
      if (stored) timer ??= later(flush, SETTLE_MS)
      else if (backend.write(values)) unwritten = {}
    },
    stop: flush,
  }
}
