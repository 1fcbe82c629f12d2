import type { Count } from '../lib/metrics.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Project } from '../storage/records.ts'
import type { CountryOf } from './countries.ts'
import { decodeJson } from './decode.ts'
import { enrich } from './enrich.ts'
import { EVENT_FAULTS, type EventFault, type Reading, readEvents } from './read.ts'
import type { GroupTypes } from './groupTypes.ts'
import type { RefusedEvents, UnkeptRefusal } from './refusedEvents.ts'
import type { Row, Writer } from './writer.ts'

export interface Delivery {
  readonly body: Buffer
  /** The address's `compression`. */
  readonly compression: string | undefined
  /** The address's `token`. */
  readonly token: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Of whoever sent it. Read for its country and kept nowhere. */
  readonly address: string
}

/** One event that was not taken, and why. `index` counts from 0 within the body. */
export interface RefusedEvent {
  readonly index: number
  readonly uuid?: string
  readonly code: EventFault
  readonly detail: string
}

export interface IngestRooms {
  readonly projectByToken: (token: string) => Promise<Project | undefined>
  readonly groupTypes: GroupTypes
  readonly writer: Pick<Writer, 'write' | 'assertRoom'>
  readonly refusedEvents: Pick<RefusedEvents, 'keep'>
  readonly countryOf: CountryOf
  readonly count: Count
}

/** Takes one delivery: decode → read → find the projects and their types of groups → write. Resolves with the events it refuses once all others are safe. */
export type Ingest = (delivery: Delivery) => Promise<RefusedEvent[]>

const refused = ({ index, uuid }: Reading, code: EventFault): RefusedEvent => ({ index, ...(uuid ? { uuid } : {}), code, detail: EVENT_FAULTS[code] })

const NO_GROUPS: ReadonlyMap<string, number> = new Map()

export const createIngest = ({ projectByToken, groupTypes, writer, refusedEvents, countryOf, count }: IngestRooms): Ingest => {
  const findProjects = async (readings: readonly Reading[]) => {
    const tokens = [...new Set(readings.flatMap(({ token }) => token ?? []))]
    const projects = await Promise.all(tokens.map(projectByToken))
    const byToken = new Map(tokens.flatMap((token, index) => (projects[index] ? [[token, projects[index].id] as const] : [])))
    if (readings.length && !byToken.size) {
      throw new Refusal('invalid_token', tokens.length ? {} : { detail: 'The request carries no project token: send it as "api_key", in "properties.token" or as ?token=.' })
    }
    return byToken
  }

  return async ({ body, compression, token: queryToken, receivedAt, address }) => {
    writer.assertRoom(body.length)
    const readings = readEvents(await decodeJson(body, compression), { queryToken, receivedAt, enrich: (properties) => enrich(properties, { address, countryOf }) })
    count('trailmark_events_received_total', {}, readings.length)
    const projects = await findProjects(readings)
    const refusals: RefusedEvent[] = []
    const unread: UnkeptRefusal[] = []
    const taken: { reading: Reading; row: Row }[] = []
    for (const reading of readings) {
      const projectId = reading.token === undefined ? undefined : projects.get(reading.token)
      if (projectId === undefined) refusals.push(refused(reading, 'unknown_token'))
      else if (typeof reading.result === 'string') {
        refusals.push(refused(reading, reading.result))
        unread.push({ projectId, code: reading.result, event: reading.given })
      } else {
        const { groups, told } = reading.result.profile
        const types = [...groups, ...(told ? [told] : [])].map(({ type }) => type)
        taken.push({ reading, row: { projectId, event: reading.result, groupIndexes: types.length ? await groupTypes.indexesOf(projectId, types) : NO_GROUPS } })
      }
    }
    // Before the others: where this fails, none is stored yet, and the whole delivery may be sent again.
    await refusedEvents.keep(unread)
    const outcomes = await writer.write(taken.map(({ row }) => row))
    const unstorable = taken.filter((_, index) => outcomes[index] === 'unstorable')
    for (const { reading } of unstorable) refusals.push(refused(reading, 'unstorable'))
    // The others are stored: an answer that fails would bring those without a uuid a second time.
    await refusedEvents.keep(unstorable.map(({ row }) => ({ projectId: row.projectId, code: 'unstorable', event: row.event }))).catch(() => count('trailmark_refused_events_unkept_total', {}, unstorable.length))
    for (const { code } of refusals) count('trailmark_events_refused_total', { reason: code })
    return refusals.sort((a, b) => a.index - b.index)
  }
}
