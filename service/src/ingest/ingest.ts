import { createLane } from '../lib/lane.ts'
import type { Count } from '../lib/metrics.ts'
import { ApiError } from '../lib/apiError.ts'
import type { Project } from '../storage/metadata/metadata.ts'
import type { NextStep, TimeSlices } from '../lib/timeSlices.ts'
import type { JsonLine } from '../storage/storage.ts'
import type { CountryOf } from './countries.ts'
import { decode, decodeSmall, parseJson } from './decode.ts'
import { enrich } from './enrich.ts'
import type { GroupTypes } from './groupTypes.ts'
import type { IdentityUpdate } from '../persons/identityUpdate.ts'
import { createLineBuffer } from '../lib/lineBuffer.ts'
import { EVENT_FAULTS, type EventFault, eventsOf, type Reading, type Reader, readOne, readUnparsed } from './read.ts'
import type { RefusedEvents } from './refusedEvents.ts'
import { splitBody } from './split.ts'
import { tokensIn } from './tokens.ts'
import { toLine } from './toLine.ts'
import type { Row } from './storeBatch.ts'
import type { Writer } from './writer.ts'

export interface Delivery {
  readonly body: Buffer
  /** The address's `compression`. */
  readonly compression: string | undefined
  /** The address's `token`. */
  readonly token: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Client IP. Used to look up the country; never stored. */
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
  readonly refusedEvents: Pick<RefusedEvents, 'sample' | 'keep'>
  readonly slices: TimeSlices
  readonly countryOf: CountryOf
  readonly count: Count
}

/**
 * Takes one delivery: decode → find the projects → split → read one event after the other → write. No step of it takes
 * longer than a few milliseconds. Resolves with the events it refuses once all others are stored.
 */
export type Ingest = (delivery: Delivery) => Promise<RefusedEvent[]>

const refused = ({ index, uuid }: Pick<Reading, 'index' | 'uuid'>, code: EventFault): RefusedEvent => ({
  index,
  ...(uuid ? { uuid } : {}),
  code,
  detail: EVENT_FAULTS[code],
})

const NO_GROUPS: ReadonlyMap<string, number> = new Map()

const typesOf = ({ groups, groupUpdate }: IdentityUpdate): string[] =>
  [...groups, ...(groupUpdate ? [groupUpdate] : [])].map(({ type }) => type)

/** Large bodies that are decoded and read at the same time, which bounds what they take up together. */
export const LARGE_AT_ONCE = 2

const changesOf = ({ result }: Reading): number => {
  if (typeof result === 'string') return 0
  const { person, groups, groupUpdate } = result.identity
  return (person ? person.set.length + person.setOnce.length : 0) + groups.length + (groupUpdate?.set.length ?? 0)
}

/** Most changes of persons and groups of one delivery: each takes up several times its text until it is stored. */
export const MAX_DELIVERY_CHANGES = 100_000

/** What is kept of a delivery until it is answered. */
interface Taken {
  readonly rows: readonly Row[]
  /** The rows as bytes, a line each. */
  readonly lines: Buffer
  readonly refusals: RefusedEvent[]
  readonly samples: readonly JsonLine[]
}

export const createIngest = ({
  projectByToken,
  groupTypes,
  writer,
  refusedEvents,
  slices,
  countryOf,
  count,
}: IngestRooms): Ingest => {
  const large = createLane(LARGE_AT_ONCE)

  /** The ids of the projects whose tokens the delivery carries, before anything of it is parsed. Throws `ApiError` if there are none. */
  const findProjects = async (
    bytes: Buffer,
    queryToken: string | undefined,
    next: NextStep,
  ): Promise<ReadonlyMap<string, number>> => {
    const tokens = [...new Set([...(await tokensIn(bytes, next)), ...(queryToken ? [queryToken] : [])])]
    const ids = new Map<string, number>()
    for (const token of tokens) {
      const turn = next()
      if (turn) await turn
      const project = await projectByToken(token)
      if (project) ids.set(token, project.id)
    }
    if (ids.size) return ids
    throw new ApiError(
      'invalid_token',
      tokens.length
        ? {}
        : {
            detail: 'The request carries no project token: send it as "api_key", in "properties.token" or as ?token=.',
          },
    )
  }

  /** The events of a delivery, each parsed when it is asked for. What `parse` returns reads the event: a step of its own. */
  const openBody = async (bytes: Buffer, { token, receivedAt, address }: Delivery, next: NextStep) => {
    const reader: Reader = {
      queryToken: token,
      receivedAt,
      enrich: (properties) => enrich(properties, { address, countryOf }),
    }
    const turn = next()
    if (turn) await turn
    const split = await splitBody(bytes, next)
    const { list, events, envelope } = eventsOf(split ? split.envelope : parseJson(bytes))
    const pieces = split?.lists[list]
    if (!pieces)
      return { size: events.length, parse: (index: number) => () => readOne(events[index], index, envelope, reader) }
    return {
      size: pieces.length,
      parse(index: number): () => Reading {
        const { bytes: text, fault } = pieces[index]!
        if (fault) return () => readUnparsed({ bytes: text, fault }, index, envelope, token)
        const event = parseJson(text)
        return () => readOne(event, index, envelope, reader)
      },
    }
  }

  // What a delivery was parsed into ends here. What waits for the engine is bytes, which cost nothing while they wait:
  // the collector of garbage looks at every object again and again.
  const takeIn = async (bytes: Buffer, delivery: Delivery, next: NextStep): Promise<Taken> => {
    const projects = await findProjects(bytes, delivery.token, next)
    writer.assertRoom(projects.values().next().value!, bytes.length)
    const refusals: RefusedEvent[] = []
    const samples: JsonLine[] = []
    const rows: Row[] = []
    const lines = createLineBuffer()
    let changes = 0
    const { size, parse } = await openBody(bytes, delivery, next)
    for (let index = 0; index < size; index += 1) {
      const turn = next()
      if (turn) await turn
      const read = parse(index)
      const turnToRead = next()
      if (turnToRead) await turnToRead
      const reading = read()
      const projectId = reading.token === undefined ? undefined : projects.get(reading.token)
      const event = (changes += changesOf(reading)) > MAX_DELIVERY_CHANGES ? 'too_many_changes' : reading.result
      if (projectId === undefined) refusals.push(refused(reading, 'unknown_token'))
      else if (typeof event === 'string') {
        refusals.push(refused(reading, event))
        const sample = refusedEvents.sample({ projectId, code: event, event: reading.given })
        if (sample) samples.push(sample)
      } else {
        const { uuid, distinctId, timestamp, identity } = event
        const types = typesOf(identity)
        const groupIndexes = types.length ? await groupTypes.indexesOf(projectId, types) : NO_GROUPS
        rows.push({
          index: reading.index,
          projectId,
          uuid,
          sentUuid: reading.uuid,
          distinctId,
          timestamp,
          identity,
          groupIndexes,
        })
        lines.add(toLine({ projectId, event, groupIndexes }))
      }
    }
    count('trailmark_events_received_total', {}, size)
    if (size && refusals.length === size && refusals.every(({ code }) => code === 'unknown_token'))
      throw new ApiError('invalid_token')
    return { rows, lines: await lines.bytes(next), refusals, samples }
  }

  const take = async (delivery: Delivery): Promise<Taken> => {
    const { body, compression, address } = delivery
    const next = () => slices.next(address)
    const turn = next()
    if (turn) await turn
    const small = decodeSmall(body, compression)
    return small
      ? takeIn(small, delivery, next)
      : large.run(address, async () => takeIn(await decode(body, compression, { next }), delivery, next))
  }

  const countRefusals = (refusals: readonly RefusedEvent[]) => {
    const byCode = new Map<EventFault, number>()
    for (const { code } of refusals) byCode.set(code, (byCode.get(code) ?? 0) + 1)
    for (const [reason, by] of byCode) count('trailmark_events_refused_total', { reason }, by)
  }

  return async (delivery) => {
    const { rows, lines, refusals, samples } = await take(delivery)
    // Before the others: where this fails, none is stored yet, and the whole delivery may be sent again.
    await refusedEvents.keep(samples)
    const unstorable = await writer.write(rows, lines)
    for (const { row } of unstorable) refusals.push(refused({ index: row.index, uuid: row.sentUuid }, 'unstorable'))
    // The others are stored: an answer that fails would bring those without a uuid a second time.
    await refusedEvents
      .keep(
        unstorable.flatMap(({ row, line }) => {
          const event: unknown = JSON.parse(line.toString())
          return refusedEvents.sample({ projectId: row.projectId, code: 'unstorable', event }) ?? []
        }),
      )
      .catch(() => count('trailmark_refused_events_unkept_total', {}, unstorable.length))
    countRefusals(refusals)
    return refusals.sort((a, b) => a.index - b.index)
  }
}
