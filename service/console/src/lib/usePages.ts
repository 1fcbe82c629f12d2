import { useEffect, useRef, useState } from 'preact/hooks'
import { Failure, isAborted } from '../api/failure.ts'
import { renewals } from '../api/session.ts'

export interface ApiPage<Item> {
  readonly results: readonly Item[]
  /** Cursor of the next page. null: this is the last page. */
  readonly next: string | null
}

export interface Pages<Item> {
  /** Items of all pages so far. Absent until the first page is loaded. */
  readonly items: readonly Item[] | undefined
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly error: Failure | undefined
  /** Loads the next page, or tries again. Does nothing while one is loading. */
  readonly more: () => void
  /** Starts over. The items stay until the first page is loaded. */
  readonly reload: () => void
}

interface State<Item> {
  readonly key: string
  readonly items?: readonly Item[] | undefined
  readonly next?: string | null
  readonly error?: Failure | undefined
  readonly isLoading: boolean
}

/**
 * Loads a list page by page. `key` names the list: another key starts over. `load` gets the cursor of a page, `undefined`
 * for the first.
 */
export const usePages = <Item>(
  key: string,
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ApiPage<Item>>,
): Pages<Item> => {
  const [state, setState] = useState<State<Item>>({ key, isLoading: true })
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const loadMore = useRef(() => {})

  useEffect(() => {
    const controller = new AbortController()
    let cursor: string | undefined
    let isRunning = false
    let isFirst = true
    const run = async () => {
      if (isRunning) return
      isRunning = true
      setState((before) => ({ ...before, error: undefined, isLoading: true }))
      try {
        const { results, next } = await latest.current(cursor, controller.signal)
        const isStart = isFirst
        isFirst = false
        cursor = next ?? undefined
        setState(({ items = [] }) => ({
          key,
          items: isStart ? results : [...items, ...results],
          next,
          isLoading: false,
        }))
      } catch (error) {
        if (controller.signal.aborted || isAborted(error)) return
        const failure = error instanceof Failure ? error : new Failure(String(error), 'unknown', 0)
        setState((before) => ({ ...before, key, error: failure, isLoading: false }))
      } finally {
        isRunning = false
      }
    }
    loadMore.current = () => void run()
    void run()
    return () => controller.abort()
  }, [key, round])

  useEffect(() => {
    if (state.error) loadMore.current()
  }, [renewals.value])

  return {
    items: state.items,
    hasMore: state.key === key && Boolean(state.next),
    isLoading: state.isLoading || state.key !== key,
    error: state.key === key ? state.error : undefined,
    more: () => loadMore.current(),
    reload: () => setRound((before) => before + 1),
  }
}
