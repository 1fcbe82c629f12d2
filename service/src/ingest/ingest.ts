import type { Count } from '../lib/metrics.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Project } from '../storage/records.ts'
import type { CountryOf } from './countries.ts'
import { decodeJson } from './decode.ts'
import { enrich } from './enrich.ts'
import type { GroupTypes } from './groupTypes.ts'
import type { Profile } from './profile.ts'
import { EVENT_FAULTS, type EventFault, type Reading, readEvents } from './read.ts'
import type { RefusedEvents, UnkeptRefusal } from './refusedEvents.ts'
import { toLine } from './toLine.ts'
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

const refused = ({ index, uuid }: Pick<Reading, 'index' | 'uuid'>, code: EventFault): RefusedEvent => ({
  index,
  ...(uuid ? { uuid } : {}),
  code,
  detail: EVENT_FAULTS[code],
})

const NO_GROUPS: ReadonlyMap<string, number> = new Map()

const typesOf = ({ groups, told }: Profile): string[] => [...groups, ...(told ? [told] : [])].map(({ type }) => type)

/** A delivery as far as it is kept until it is answered. */
interface Taken {
  readonly rows: readonly Row[]
  /** The rows as bytes, a line each. */
  readonly lines: Buffer
  readonly refusals: RefusedEvent[]
  readonly unread: readonly UnkeptRefusal[]
}

export const createIngest = ({
  projectByToken,
  groupTypes,
  writer,
  refusedEvents,
  countryOf,
  count,
}: IngestRooms): Ingest => {
  const findProjects = async (readings: readonly Reading[]) => {
    const tokens = [...new Set(readings.flatMap(({ token }) => token ?? []))]
    const projects = await Promise.all(tokens.map(projectByToken))
    const byToken = new Map(
      tokens.flatMap((token, index) => (projects[index] ? [[token, projects[index].id] as const] : [])),
    )
    if (readings.length && !byToken.size) {
      throw new Refusal(
        'invalid_token',
        tokens.length
          ? {}
          : {
              detail:
                'The request carries no project token: send it as "api_key", in "properties.token" or as ?token=.',
            },
      )
    }
    return byToken
  }

  // What a delivery was parsed into ends here. What waits for the engine is bytes, which cost nothing while they wait:
  // the collector of garbage looks at every object again and again.
  const takeIn = async ({ body, compression, token: queryToken, receivedAt, address }: Delivery): Promise<Taken> => {
    const readings = readEvents(await decodeJson(body, compression), {
      queryToken,
      receivedAt,
      enrich: (properties) => enrich(properties, { address, countryOf }),
    })
    count('trailmark_events_received_total', {}, readings.length)
    const projects = await findProjects(readings)
    const refusals: RefusedEvent[] = []
    const unread: UnkeptRefusal[] = []
    const rows: Row[] = []
    let lines = ''
    for (const reading of readings) {
      const projectId = reading.token === undefined ? undefined : projects.get(reading.token)
      const event = reading.result
      if (projectId === undefined) refusals.push(refused(reading, 'unknown_token'))
      else if (typeof event === 'string') {
        refusals.push(refused(reading, event))
        unread.push({ projectId, code: event, event: reading.given })
      } else {
        const { uuid, distinctId, timestamp, profile } = event
        const types = typesOf(profile)
        const groupIndexes = types.length ? await groupTypes.indexesOf(projectId, types) : NO_GROUPS
        rows.push({
          index: reading.index,
          projectId,
          uuid,
          sentUuid: reading.uuid,
          distinctId,
          timestamp,
          profile,
          groupIndexes,
        })
        lines += `${toLine({ projectId, event, groupIndexes })}\n`
      }
    }
    return { rows, lines: Buffer.from(lines), refusals, unread }
  }

  return async (delivery) => {
    writer.assertRoom(delivery.body.length)
    const { rows, lines, refusals, unread } = await takeIn(delivery)
    // Before the others: where this fails, none is stored yet, and the whole delivery may be sent again.
    await refusedEvents.keep(unread)
    const unstorable = await writer.write(rows, lines)
    for (const { row } of unstorable) refusals.push(refused({ index: row.index, uuid: row.sentUuid }, 'unstorable'))
    // The others are stored: an answer that fails would bring those without a uuid a second time.
    await refusedEvents
      .keep(
        unstorable.map(({ row, line }) => ({
          projectId: row.projectId,
          code: 'unstorable',
          event: JSON.parse(line) as unknown,
        })),
      )
      .catch(() => count('trailmark_refused_events_unkept_total', {}, unstorable.length))
    for (const { code } of refusals) count('trailmark_events_refused_total', { reason: code })
    return refusals.sort((a, b) => a.index - b.index)
  }
}
