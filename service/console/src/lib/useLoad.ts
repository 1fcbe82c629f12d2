import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Failure, isAborted } from '../api/failure.ts'
import { renewals } from '../api/session.ts'

export interface Loaded<Data> {
  /** The last data for this key, also while newer data is loading. */
  readonly data: Data | undefined
  readonly error: Failure | undefined
  readonly isLoading: boolean
  /** Time at which `data` was loaded, in ms since the epoch. */
  readonly loadedAt: number | undefined
  /** Loads again. With `force` the service skips its cache. */
  readonly reload: (options?: { readonly force?: boolean }) => void
}

export interface LoadContext {
  /** Aborted when the key changes or the component is removed. */
  readonly signal: AbortSignal
  readonly force: boolean
}

interface Entry {
  readonly data: unknown
  readonly at: number
}

const MAX_ENTRIES = 100
const cache = new Map<string, Entry>()

const remember = (key: string, data: unknown): Entry => {
  const entry = { data, at: Date.now() }
  cache.delete(key)
  cache.set(key, entry)
  if (cache.size > MAX_ENTRIES) cache.delete(cache.keys().next().value!)
  return entry
}

/** Forgets all loaded data: the next session may belong to someone else. */
export const forgetLoaded = (): void => cache.clear()

const toError = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(error instanceof Error ? error.message : 'Something went wrong.', 'unknown', 0)

/**
 * Loads data for a component. `key` names the data: two calls with one key must load the same. What was loaded before for
 * this key is shown at once while newer data is loading. `undefined` loads nothing.
 */
export const useLoad = <Data>(key: string | undefined, load: (context: LoadContext) => Promise<Data>): Loaded<Data> => {
  const [state, setState] = useState<{ key?: string; entry?: Entry; error?: Failure; isLoading: boolean }>({
    isLoading: false,
  })
  const [round, setRound] = useState({ count: 0, force: false })
  const latest = useRef(load)
  latest.current = load

  useEffect(() => {
    if (key === undefined) return
    const controller = new AbortController()
    const known = cache.get(key)
    setState({ key, entry: known, isLoading: true })
    latest.current({ signal: controller.signal, force: round.force }).then(
      (data) => !controller.signal.aborted && setState({ key, entry: remember(key, data), isLoading: false }),
      (error: unknown) => {
        if (controller.signal.aborted || isAborted(error)) return
        setState((before) => ({ ...before, error: toError(error), isLoading: false }))
      },
    )
    return () => controller.abort()
  }, [key, round, renewals.value])

  const reload = useCallback(({ force = false } = {}) => setRound(({ count }) => ({ count: count + 1, force })), [])
  const isCurrent = state.key === key
  const entry = isCurrent ? state.entry : key === undefined ? undefined : cache.get(key)
  return {
    data: entry?.data as Data | undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: isCurrent ? state.isLoading : key !== undefined,
    loadedAt: entry?.at,
    reload,
  }
}
