import { Refusal } from '../lib/refusal.ts'
import type { Project } from '../storage/records.ts'
import { decodeJson } from './decode.ts'
import { EVENT_FAULTS, type EventFault, type Reading, readEvents } from './read.ts'
import type { GroupTypes } from './groupTypes.ts'
import type { Row, Writer } from './writer.ts'

export interface Delivery {
  readonly body: Buffer
  /** The address's `compression`. */
  readonly compression: string | undefined
  /** The address's `token`. */
  readonly token: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
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
  readonly writer: Pick<Writer, 'write'>
}

/** Takes one delivery: decode → read → find the projects and their types of groups → write. Resolves with the events it refuses once all others are safe. */
export type Ingest = (delivery: Delivery) => Promise<RefusedEvent[]>

const refused = ({ index, uuid }: Reading, code: EventFault): RefusedEvent => ({ index, ...(uuid ? { uuid } : {}), code, detail: EVENT_FAULTS[code] })

const NO_GROUPS: ReadonlyMap<string, number> = new Map()

export const createIngest = ({ projectByToken, groupTypes, writer }: IngestRooms): Ingest => {
  const findProjects = async (readings: readonly Reading[]) => {
    const tokens = [...new Set(readings.flatMap(({ token }) => token ?? []))]
    const projects = await Promise.all(tokens.map(projectByToken))
    const byToken = new Map(tokens.flatMap((token, index) => (projects[index] ? [[token, projects[index].id] as const] : [])))
    if (readings.length && !byToken.size) {
      throw new Refusal('invalid_token', tokens.length ? {} : { detail: 'The request carries no project token: send it as "api_key", in "properties.token" or as ?token=.' })
    }
    return byToken
  }

  return async ({ body, compression, token: queryToken, receivedAt }) => {
    const readings = readEvents(await decodeJson(body, compression), { queryToken, receivedAt })
    const projects = await findProjects(readings)
    const refusals: RefusedEvent[] = []
    const taken: { reading: Reading; row: Row }[] = []
    for (const reading of readings) {
      const projectId = reading.token === undefined ? undefined : projects.get(reading.token)
      if (projectId === undefined) refusals.push(refused(reading, 'unknown_token'))
      else if (typeof reading.result === 'string') refusals.push(refused(reading, reading.result))
      else {
        const { groups, told } = reading.result.profile
        const types = [...groups, ...(told ? [told] : [])].map(({ type }) => type)
        taken.push({ reading, row: { projectId, event: reading.result, groupIndexes: types.length ? await groupTypes.indexesOf(projectId, types) : NO_GROUPS } })
      }
    }
    const outcomes = await writer.write(taken.map(({ row }) => row))
    outcomes.forEach((outcome, index) => {
      if (outcome === 'unstorable') refusals.push(refused(taken[index]!.reading, 'unstorable'))
    })
    return refusals.sort((a, b) => a.index - b.index)
  }
}
