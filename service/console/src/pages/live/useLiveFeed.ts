import { useEffect, useRef, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Arrival } from '../../api/events.ts'
import { Failure, isAborted } from '../../api/failure.ts'
import { useProject } from '../../project.ts'
import { EMPTY_FEED, type Feed, MAX_ROWS, receive, release } from './feed.ts'

const EVERY_MS = 2_000
const QUIET_EVERY_MS = 15_000
/** Nothing arrived for this long: the feed is quiet. */
const QUIET_AFTER_MS = 60_000
const MAX_PAGE = 1_000
/** Full pages in a row after which the feed skips to the newest events. */
const MAX_BEHIND = 5

export const KINDS = ['all', 'accepted', 'rejected'] as const
export type Kind = (typeof KINDS)[number]

export interface LiveFilter {
  readonly event: string | undefined
  readonly distinctId: string | undefined
  readonly kind: Kind
}

export interface LiveFeed {
  readonly feed: Feed
  readonly hasLoaded: boolean
  readonly isQuiet: boolean
  /** Whether more arrived than could be read. */
  readonly hasSkipped: boolean
  readonly error: Failure | undefined
}

type Status = Omit<LiveFeed, 'feed'>
const STARTING: Status = { hasLoaded: false, isQuiet: false, hasSkipped: false, error: undefined }

const isOf = (kind: Kind, { type }: Arrival) => kind === 'all' || (kind === 'accepted') === (type === 'event')

/**
 * Polls for new events while the page is visible: every 2 s, or every 15 s when idle. While `isHolding`, new rows wait
 * and are counted.
 */
export const useLiveFeed = ({ event, distinctId, kind }: LiveFilter, isHolding: boolean): LiveFeed => {
  const { id } = useProject()
  const [feed, setFeed] = useState(EMPTY_FEED)
  const [status, setStatus] = useState(STARTING)
  const holding = useRef(isHolding)
  holding.current = isHolding

  useEffect(() => {
    if (!isHolding) setFeed(release)
  }, [isHolding])

  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let after: string | undefined
    let fullPages = 0
    let isReading = false
    let lastArrivalAt = Date.now()

    const read = async (): Promise<number> => {
      const isFirst = after === undefined
      const query = {
        limit: isFirst ? MAX_ROWS : MAX_PAGE,
        ...(after === undefined ? {} : { after }),
        ...(event ? { event } : {}),
        ...(distinctId ? { distinct_id: distinctId } : {}),
      }
      const params = { path: { projectId: String(id) }, query }
      const page = await dataOf(api.GET('/api/projects/{projectId}/events/live', { params, signal: controller.signal }))
      const arrivals = page.results.filter((each) => isOf(kind, each))
      if (page.results.length) lastArrivalAt = Date.now()
      fullPages = page.has_more ? fullPages + 1 : 0
      const isBehind = fullPages >= MAX_BEHIND
      after = isBehind ? undefined : page.next
      if (isBehind) fullPages = 0
      const isQuiet = Date.now() - lastArrivalAt > QUIET_AFTER_MS
      setFeed((before) => receive(before, arrivals, holding.current))
      setStatus(({ hasSkipped }) => ({
        hasLoaded: true,
        isQuiet,
        hasSkipped: hasSkipped || isBehind,
        error: undefined,
      }))
      return page.has_more ? 0 : isQuiet ? QUIET_EVERY_MS : EVERY_MS
    }

    const poll = async () => {
      clearTimeout(timer)
      if (isReading || document.visibilityState === 'hidden') return
      isReading = true
      let wait = QUIET_EVERY_MS
      try {
        wait = await read()
      } catch (error) {
        if (isAborted(error)) return
        const failure = error instanceof Failure ? error : new Failure(String(error), 'unknown', 0)
        // A position that the service no longer knows would fail forever.
        if (failure.status === 400) after = undefined
        setStatus((before) => ({ ...before, error: failure }))
      } finally {
        isReading = false
      }
      if (!controller.signal.aborted) timer = setTimeout(() => void poll(), wait)
    }

    const onVisible = () => void poll()
    setFeed(EMPTY_FEED)
    setStatus(STARTING)
    void poll()
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      controller.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [id, event, distinctId, kind])

  return { feed, ...status }
}
