import { steadyTime } from '../lib/elapsed'
import type { Config } from '../types'
import type { Body } from './encode'
import type { Entry } from '../lib/entry'
import { createGive } from './give'
import type { beacon, request } from './transport'
import { firstBatch } from './waiting'

// The service would take an older `sent_at` for a wrong clock.
const STALE_MS = 5000
// Far above what browsers accept. To ask with a body of this size would take long.
const MAX_CHARACTERS = 1_000_000

interface LastBatchesInputs {
  config: Config
  url(): string
  textOf(batch: readonly Entry[]): string
  encode(text: string): Promise<Body>
  send: typeof request
  sendBeacon: typeof beacon
}

/** Sends waiting events when the page is left, in requests that the browser finishes afterwards. */
export const createLastBatches = ({ config, url, textOf, encode, send, sendBeacon }: LastBatchesInputs) => {
  let prepared: { batch: Entry[]; body: Body; at: number } | undefined
  /** The last event of the batch that was last passed to `prepare`, and when. */
  let preparedTo: Entry | undefined
  let preparedAt = 0

  const give = createGive(config, url, send, sendBeacon)

  return {
    /** Compresses a batch ahead of time, because there is no time for it when the page is left. Once for the same batch. */
    prepare: async (batch: Entry[]): Promise<void> => {
      const at = steadyTime()
      const last = batch[batch.length - 1]
      if (!last || (last === preparedTo && at - preparedAt < STALE_MS / 2)) return
      preparedTo = last
      preparedAt = at
      prepared = { batch, body: await encode(textOf(batch)), at }
    },
    /** Passes as many of `entries` to the browser as it accepts, in as many requests as needed. Returns the others. */
    send: (entries: readonly Entry[]): Entry[] => {
      const giveAll = (all: readonly Entry[]): Entry[] => {
        let rest = all
        const early = prepared
        if (early && steadyTime() - early.at < STALE_MS && early.batch.every((each) => rest.includes(each)))
          if (give(early.body)) rest = rest.filter((each) => !early.batch.includes(each))
        // Smallest first, so that one that is too large does not hold back the others.
        const left = rest.filter(fits).sort((a, b) => a.text.length - b.text.length)
        let batch = firstBatch(left, Infinity)
        while (batch.length) {
          if (give(textOf(batch))) {
            left.splice(0, batch.length)
            batch = firstBatch(left, Infinity)
          } else batch = batch.slice(0, batch.length >> 1)
        }
        return [...left, ...rest.filter((each) => !fits(each))]
      }
      const fits = ({ text }: Entry) => text.length <= MAX_CHARACTERS
      // First those that no later page can find.
      const only = giveAll(entries.filter(({ isKept }) => !isKept))
      return [...only, ...giveAll(entries.filter(({ isKept }) => isKept))]
    },
  }
}
