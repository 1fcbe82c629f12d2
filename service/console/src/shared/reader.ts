import { Failure, toFailure } from '../api/failure.ts'
import type { paths } from '../api/schema.d.ts'

type JsonOf<Path extends keyof paths> = paths[Path] extends {
  post: { responses: { '2XX': { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

type Opened = JsonOf<'/shared/session'>

/** A share for its readers. */
export type ReaderShare = Opened['share']
export type SharedTile = ReaderShare['tiles'][number]
/** The result of a tile. */
export type TileAnswer = JsonOf<'/shared/tile'>

/** Request of a reader: a tile with the chosen values. */
export interface Asked {
  readonly tile: string
  readonly values: Readonly<Record<string, unknown>>
  readonly dates: { readonly from?: string; readonly to?: string }
}

/** Runs a tile. Rejects with `Failure`. */
export type ShowTile = (asked: Asked, signal: AbortSignal) => Promise<TileAnswer>

/** Reads a share by the token of its link. The token and the view stay in memory. All functions reject with `Failure`. */
export interface Reader {
  open(password?: string): Promise<ReaderShare>
  readonly show: ShowTile
}

const MAX_RUNNING = 4
const MAX_RETRIES = 3
const MAX_WAIT_SECONDS = 30

class Busy extends Failure {
  constructor(
    failure: Failure,
    readonly seconds: number,
  ) {
    super(failure.message, failure.code, failure.status)
  }
}

const send = async (path: string, body: unknown, view?: string, signal?: AbortSignal): Promise<unknown> => {
  let response: Response
  try {
    response = await fetch(new URL(path, document.baseURI), {
      method: 'POST',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      headers: { 'content-type': 'application/json', ...(view ? { authorization: `Bearer ${view}` } : {}) },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Failure('This page cannot reach its service. Check that you are online.', 'offline', 0)
  }
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const reason = (answer as { reason?: string } | undefined)?.reason
  const failure = toFailure(response.status, reason ? { ...(answer as object), code: reason } : answer)
  const retryAfter = Number(response.headers.get('retry-after'))
  throw retryAfter > 0 ? new Busy(failure, retryAfter) : failure
}

const delay = (seconds: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.min(seconds, MAX_WAIT_SECONDS) * 1_000))

/** Returns whether a failure means that the page must not show any data of the share anymore. */
export const isOver = ({ status, code }: Failure): boolean =>
  status === 410 || status === 404 || code === 'share_password'

/** Returns a function that runs at most `MAX_RUNNING` tasks at the same time. */
const createPlaces = () => {
  let free = MAX_RUNNING
  const waiting: (() => void)[] = []
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (free > 0) free -= 1
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

/** Creates the reader of a share. `onShare`: called with each new state of the share. */
export const createReader = (token: string, onShare: (share: ReaderShare) => void): Reader => {
  let view: string | undefined
  let renewal: Promise<ReaderShare> | undefined
  const inPlace = createPlaces()

  const open = async (password?: string): Promise<ReaderShare> => {
    const body = { token, ...(password === undefined ? {} : { password }), ...(view === undefined ? {} : { view }) }
    const opened = (await send('session', body)) as Opened
    view = opened.view
    onShare(opened.share)
    return opened.share
  }

  /** Renews the view, once for all tiles. */
  const renew = () => (renewal ??= open().finally(() => (renewal = undefined)))

  const ask = async (asked: Asked, signal: AbortSignal, retries = 0): Promise<TileAnswer> => {
    const used = view
    try {
      return (await send('tile', asked, used, signal)) as TileAnswer
    } catch (error) {
      if (!(error instanceof Failure) || retries >= MAX_RETRIES) throw error
      if (error.code === 'share_view_expired') {
        if (used === view) await renew()
      } else if (error.status === 404) {
        // The tile was removed, or the share is over. Opening the share again tells which.
        await renew()
        throw new Failure('This tile is not shown any more.', 'gone', 0)
      } else if (error instanceof Busy) await delay(error.seconds)
      else throw error
      signal.throwIfAborted()
      return ask(asked, signal, retries + 1)
    }
  }

  return { open, show: (asked, signal) => inPlace(() => ask(asked, signal)) }
}
