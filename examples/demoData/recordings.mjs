// Visits of the shop that a real browser recorded (e2e/pictures/demoVisits.spec.ts), at new times and of new visitors.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { uuidAt } from './random.mjs'

/** Hours since each recording. The visits take turns. */
const HOURS_AGO = [0.6, 3, 9, 26, 31, 52, 77, 100]
const HOUR_MS = 3_600_000

/** The recorded visits, and the sizes and boxes of the pages that they saw. */
export const readRecordedVisits = () =>
  JSON.parse(gunzipSync(readFileSync(new URL('recordedVisits.json.gz', import.meta.url))).toString())

/** Returns the events and the chunks of each recording. `token` of the project. */
export const recordingsAt = ({ random, visits, token, now }) =>
  HOURS_AGO.map((hours, index) => {
    const visit = visits[index % visits.length]
    const start = now - hours * HOUR_MS
    const [visitor, session] = [uuidAt(random, start), uuidAt(random, start)]
    const windows = visit.windows.map((snapshots) => ({ id: uuidAt(random, start), snapshots }))
    const own = { distinct_id: visitor, $device_id: visitor, $session_id: session, $window_id: windows[0].id }
    return {
      events: visit.events.map(({ event, at, properties }) => {
        const { $insert_id: _id, $time: _time, ...rest } = properties
        const timestamp = new Date(start + at).toISOString()
        return { event, timestamp, uuid: uuidAt(random, start + at), properties: { ...rest, ...own } }
      }),
      chunks: windows.map(({ id, snapshots }) => ({
        event: '$snapshot',
        properties: {
          ...own,
          token,
          $window_id: id,
          $snapshot_sequence: 0,
          $snapshot_data: snapshots.map((each) => ({ ...each, timestamp: start + each.timestamp })),
        },
      })),
    }
  })
