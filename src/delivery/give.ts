import type { Config } from '../types'
import type { Body } from './encode'
import { type beacon, outlivesPage, type request } from './transport'

/**
 * Returns a function that hands one request to the browser when the page is left. It returns false if the browser
 * accepts no more.
 */
export const createGive =
  (config: Config, url: () => string, send: typeof request, sendBeacon: typeof beacon) =>
  (body: Body): boolean => {
    // Workers have no beacons.
    if (!config.disable_beacon && 'sendBeacon' in navigator) return sendBeacon(url(), body)
    const isTaken = outlivesPage(body)
    if (isTaken) void send(url(), body, config)
    return isTaken
  }
