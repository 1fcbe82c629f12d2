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
import {
  REJECTION_MESSAGES,
  type RejectionCode,
  eventsOf,
  type Reading,
  type Reader,
  readOne,
  readUnparsed,
} from './read.ts'
import type { RejectedEvents } from './rejectedEvents.ts'
import { splitBody } from './split.ts'
import { tokensIn } from './tokens.ts'
import { toLine } from './toLine.ts'
import type { Row } from './storeBatch.ts'
import type { Writer } from './writer.ts'

export interface Delivery {
  readonly body: Buffer
  /** Query parameter `compression`. */
  readonly compression: string | undefined
  /** Query parameter `token`. */
  readonly token: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Client IP. Used to look up the country; never stored. */
  readonly address: string
}

/** An event that was rejected, and why. `index` counts from 0 within the body. */
export interface RejectedEvent {
  readonly index: number
  readonly uuid?: string
  readonly code: RejectionCode
  readonly detail: string
}

export interface IngestDependencies {
  readonly projectByToken: (token: string) => Promise<Project | undefined>
  readonly groupTypes: GroupTypes
  readonly writer: Pick<Writer, 'write' | 'assertRoom'>
  readonly rejectedEvents: Pick<RejectedEvents, 'sample' | 'keep'>
  readonly slices: TimeSlices
  readonly countryOf: CountryOf
  readonly count: Count
}

/**
 * Ingests one delivery: decode → find the projects → split → read the events one by one → write. No step takes
 * longer than a few milliseconds. Resolves with the rejected events once all others are stored.
 */
export type Ingest = (delivery: Delivery) => Promise<RejectedEvent[]>

const rejected = ({ index, uuid }: Pick<Reading, 'index' | 'uuid'>, code: RejectionCode): RejectedEvent => ({
  index,
  ...(uuid ? { uuid } : {}),
  code,
  detail: REJECTION_MESSAGES[code],
})

const NO_GROUPS: ReadonlyMap<string, number> = new Map()

const typesOf = ({ groups, groupUpdate }: IdentityUpdate): string[] =>
  [...groups, ...(groupUpdate ? [groupUpdate] : [])].map(({ type }) => type)

/** Maximum large bodies that are decoded and read at the same time. Bounds their memory. */
export const LARGE_AT_ONCE = 2

const changesOf = ({ result }: Reading): number => {
  if (typeof result === 'string') return 0
  const { person, groups, groupUpdate } = result.identity
  return (person ? person.set.length + person.setOnce.length : 0) + groups.length + (groupUpdate?.set.length ?? 0)
}

/**
 * Maximum changes of persons and groups in one delivery. Each takes several times its text in memory until it is
 * stored.
 */
export const MAX_DELIVERY_CHANGES = 100_000

/** What is kept of a delivery until it is answered. */
interface Taken {
  readonly rows: readonly Row[]
  /** The rows as bytes, a line each. */
  readonly lines: Buffer
  readonly rejections: RejectedEvent[]
  readonly samples: readonly JsonLine[]
}

export const createIngest = ({
  projectByToken,
  groupTypes,
  writer,
  rejectedEvents,
  slices,
  countryOf,
  count,
}: IngestDependencies): Ingest => {
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

  /** The events of a delivery, each parsed and read when it is asked for. */
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
      return { size: events.length, read: (index: number) => readOne(events[index], index, envelope, reader) }
    return {
      size: pieces.length,
      read(index: number): Reading {
        const { bytes: text, fault } = pieces[index]!
        return fault
          ? readUnparsed({ bytes: text, fault }, index, envelope, token)
          : readOne(parseJson(text), index, envelope, reader)
      },
    }
  }

  // What a delivery was parsed into ends here. What waits for the engine is bytes, which cost nothing while they wait:
  // the collector of garbage looks at every object again and again.
  const takeIn = async (bytes: Buffer, delivery: Delivery, next: NextStep): Promise<Taken> => {
    const projects = await findProjects(bytes, delivery.token, next)
    writer.assertRoom(projects.values().next().value!, bytes.length)
    const rejections: RejectedEvent[] = []
    const samples: JsonLine[] = []
    const rows: Row[] = []
    const lines = createLineBuffer()
    let changes = 0
    const { size, read } = await openBody(bytes, delivery, next)
    for (let index = 0; index < size; index += 1) {
      const turn = next()
      if (turn) await turn
      const reading = read(index)
      const projectId = reading.token === undefined ? undefined : projects.get(reading.token)
      const event = (changes += changesOf(reading)) > MAX_DELIVERY_CHANGES ? 'too_many_changes' : reading.result
      if (projectId === undefined) rejections.push(rejected(reading, 'unknown_token'))
      else if (typeof event === 'string') {
        rejections.push(rejected(reading, event))
        const sample = rejectedEvents.sample({ projectId, code: event, event: reading.rejectedEvent })
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
    if (size && rejections.length === size && rejections.every(({ code }) => code === 'unknown_token'))
      throw new ApiError('invalid_token')
    return { rows, lines: await lines.bytes(next), rejections, samples }
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

  const countRejections = (rejections: readonly RejectedEvent[]) => {
    const byCode = new Map<RejectionCode, number>()
    for (const { code } of rejections) byCode.set(code, (byCode.get(code) ?? 0) + 1)
    for (const [reason, by] of byCode) count('trailmark_events_refused_total', { reason }, by)
  }

  return async (delivery) => {
    const { rows, lines, rejections, samples } = await take(delivery)
    // Before the others: where this fails, none is stored yet, and the whole delivery may be sent again.
    await rejectedEvents.keep(samples)
    const unstorable = await writer.write(rows, lines)
    for (const { row } of unstorable) rejections.push(rejected({ index: row.index, uuid: row.sentUuid }, 'unstorable'))
    // The others are stored: an answer that fails would bring those without a uuid a second time.
    await rejectedEvents
      .keep(
        unstorable.flatMap(({ row, line }) => {
          const event: unknown = JSON.parse(line.toString())
          return rejectedEvents.sample({ projectId: row.projectId, code: 'unstorable', event }) ?? []
        }),
      )
      .catch(() => count('trailmark_refused_events_unkept_total', {}, unstorable.length))
    countRejections(rejections)
    return rejections.sort((a, b) => a.index - b.index)
  }
}
