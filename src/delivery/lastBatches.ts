import type { Config } from '../types'
import type { Body } from './encode'
import type { Entry } from './entry'
import { type beacon, outlivesPage, type request } from './transport'
import { firstBatch, steadyTime } from './waiting'

// The service takes an older `sent_at` for a wrong clock.
const STALE_MS = 5000

interface LastBatchesInputs {
  config: Config
  url(): string
  textOf(batch: readonly Entry[]): string
  encode(text: string): Promise<Body>
  send: typeof request
  sendBeacon: typeof beacon
}

/** Sends what waits when the page goes, in requests that the browser finishes afterwards. */
export const createLastBatches = ({ config, url, textOf, encode, send, sendBeacon }: LastBatchesInputs) => {
  let prepared: { batch: Entry[]; body: Body; at: number } | undefined

  /** Hands the browser one request. Returns false if it takes no more. */
  const give = (body: Body): boolean => {
    // Workers have no beacons.
    if (!config.disable_beacon && 'sendBeacon' in navigator) return sendBeacon(url(), body)
    if (outlivesPage(body)) void send(url(), body, config)
    return outlivesPage(body)
  }
  return {
    /** Compresses a batch ahead of time: there is no time for that when the page goes. */
    prepare: async (batch: Entry[]): Promise<void> => {
      const at = steadyTime()
      prepared = { batch, body: await encode(textOf(batch)), at }
    },
    /** Hands the browser as many of `entries` as it takes, in as many requests as that needs. */
    send: (entries: readonly Entry[]): void => {
      let rest = entries
      const early = prepared
      if (early && steadyTime() - early.at < STALE_MS && early.batch.every((each) => rest.includes(each)))
        if (give(early.body)) rest = rest.filter((each) => !early.batch.includes(each))
      // The smallest first: one that is too large keeps none from leaving.
      rest = [...rest].sort((a, b) => a.text.length - b.text.length)
      let batch = firstBatch(rest, Infinity)
      while (batch.length) {
        if (give(textOf(batch))) {
          rest = rest.slice(batch.length)
          batch = firstBatch(rest, Infinity)
        } else batch = batch.slice(0, batch.length >> 1)
      }
    },
  }
}
