import { clientOf } from '../lib/clientOf.ts'
import { createLane } from '../lib/lane.ts'
import type { Count } from '../lib/metrics.ts'
import { ApiError } from '../lib/apiError.ts'
import type { NextStep, TimeSlices } from '../lib/timeSlices.ts'
import type { JsonLine } from '../storage/storage.ts'
import { decode, decodeSmall } from './decode.ts'
import { enrich as origin } from './enrich.ts'
import { findProjects, type ProjectByToken } from './findProjects.ts'
import type { GroupTypes } from './groupTypes.ts'
import type { IdentityUpdate } from '../persons/identityUpdate.ts'
import { createLineBuffer } from '../lib/lineBuffer.ts'
import { openBody } from './openBody.ts'
import type { PlaceOf } from './places.ts'
import type { Reader, Reading } from './read.ts'
import type { RejectedEvents } from './rejectedEvents.ts'
import type { Enrich, Enricher, IngestSink, OpenSink, Refuse, Refuser, Rejections } from './sink.ts'
import { toLine } from './toLine.ts'
import type { Row } from './storeBatch.ts'
import type { Writer } from './writer.ts'
import { own } from '../lib/own.ts'

export interface Delivery {
  readonly body: Buffer
  /** Query parameter `compression`. */
  readonly compression: string | undefined
  /** Query parameter `token`. */
  readonly token: string | undefined
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Client IP. Used to look up the place; never stored. */
  readonly address: string
}

/** An event that was rejected, and why. `index` counts from 0 within the body. */
export interface RejectedEvent {
  readonly index: number
  readonly uuid?: string
  readonly code: string
  readonly detail: string
}

export interface IngestDependencies {
  readonly projectByToken: ProjectByToken
  readonly groupTypes: GroupTypes
  readonly writer: Pick<Writer, 'write' | 'assertRoom'>
  readonly rejectedEvents: Pick<RejectedEvents, 'sample' | 'keep'>
  /** Reasons for which events are rejected. */
  readonly rejections: Rejections
  readonly sinks: readonly IngestSink[]
  readonly enrichers: readonly Enricher[]
  readonly refusers: readonly Refuser[]
  readonly slices: TimeSlices
  readonly placeOf: PlaceOf
  readonly count: Count
}

/**
 * Ingests one delivery: decode → find the projects → split → read the events one by one → write. No step takes
 * longer than a few milliseconds. Resolves with the rejected events once all others are stored.
 */
export type Ingest = (delivery: Delivery) => Promise<RejectedEvent[]>

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

/** A delivery that has been read. */
interface ReadDelivery {
  readonly rows: readonly Row[]
  /** One line per row. */
  readonly lines: Buffer
  readonly rejections: RejectedEvent[]
  readonly samples: readonly JsonLine[]
  /** Sinks of modules that have read some of its events. */
  readonly sinks: readonly OpenSink[]
}

const NOTHING: readonly Refuse[] = []

/** Returns what refuses events of these projects. */
const prepareRefusing = async (
  refusers: readonly Refuser[],
  projects: Iterable<number>,
): Promise<ReadonlyMap<number, readonly Refuse[]>> => {
  const prepared = new Map<number, readonly Refuse[]>()
  for (const projectId of new Set(projects)) {
    const refuses: Refuse[] = []
    for (const prepare of refusers) {
      const refuse = await prepare(projectId)
      if (refuse) refuses.push(refuse)
    }
    if (refuses.length) prepared.set(projectId, refuses)
  }
  return prepared
}

/** Returns a function that opens the sink for events of a name, once for a delivery. */
const createOpener = (sinks: readonly IngestSink[]) => {
  const byName = new Map(sinks.flatMap((sink) => sink.events.map((name) => [name, sink])))
  return (client: string) => {
    const opened = new Map<IngestSink, OpenSink>()
    const open = (name: string): OpenSink | undefined => {
      const sink = byName.get(name)
      if (!sink) return undefined
      const known = opened.get(sink) ?? sink.open(client)
      opened.set(sink, known)
      return known
    }
    return { opened, open }
  }
}

export const createIngest = ({
  projectByToken,
  groupTypes,
  writer,
  rejectedEvents,
  rejections: reasons,
  sinks,
  enrichers,
  refusers,
  slices,
  placeOf,
  count,
}: IngestDependencies): Ingest => {
  const large = createLane(LARGE_AT_ONCE)
  const openSinks = createOpener(sinks)

  const rejected = ({ index, uuid }: Pick<Reading, 'index' | 'uuid'>, code: string): RejectedEvent => ({
    index,
    ...(uuid ? { uuid } : {}),
    code,
    detail: own(reasons, code)?.message ?? code,
  })

  // Returns rows as bytes, so that the parsed events can be garbage-collected before the rows wait for the engine. Objects
  // would slow down each garbage collection while they wait.
  const readDelivery = async (bytes: Buffer, delivery: Delivery, next: NextStep): Promise<ReadDelivery> => {
    const { token, receivedAt, address } = delivery
    const projects = await findProjects(bytes, token, projectByToken, next)
    writer.assertRoom(projects.values().next().value!, bytes.length)
    const enrich: Enrich[] = [(properties) => origin(properties, { address, placeOf })]
    for (const prepare of enrichers) enrich.push(await prepare(projects))
    const refusing = await prepareRefusing(refusers, projects.values())
    const { opened, open } = openSinks(clientOf(address))
    const rejections: RejectedEvent[] = []
    const samples: JsonLine[] = []
    const rows: Row[] = []
    const lines = createLineBuffer()
    let changes = 0
    const reader: Reader = {
      queryToken: token,
      receivedAt,
      enrich,
      claim: (name, properties, uuid) => open(name)?.read({ name, properties, uuid }),
    }
    const { size, parse } = await openBody(bytes, reader, next)
    for (let index = 0; index < size; index += 1) {
      const turn = next()
      if (turn) await turn
      const read = parse(index)
      const turnToRead = next()
      if (turnToRead) await turnToRead
      const reading = read()
      const projectId = reading.token === undefined ? undefined : projects.get(reading.token)
      let event = (changes += changesOf(reading)) > MAX_DELIVERY_CHANGES ? 'too_many_changes' : reading.result
      if (projectId !== undefined && typeof event !== 'string' && event.claim?.refusal)
        event = (await event.claim.refusal(projectId)) ?? event
      for (const refuse of (projectId !== undefined && refusing.get(projectId)) || NOTHING)
        if (typeof event !== 'string') event = (await refuse(event)) ?? event
      if (projectId === undefined) rejections.push(rejected(reading, 'unknown_token'))
      else if (typeof event === 'string') {
        rejections.push(rejected(reading, event))
        const sample = rejectedEvents.sample({ projectId, code: event, event: reading.rejectedEvent })
        if (sample) samples.push(sample)
      } else {
        const { uuid, distinctId, timestamp, identity, claim } = event
        const taking = claim?.take?.(projectId, event)
        if (taking) await taking
        if (claim?.isDiverted) continue
        const types = typesOf(identity)
        const groupIndexes = types.length ? await groupTypes.indexesOf(projectId, types) : NO_GROUPS
        rows.push({
          index: reading.index,
          projectId,
          uuid,
          sentUuid: reading.uuid,
          structured: event.structured,
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
    return { rows, lines: await lines.bytes(next), rejections, samples, sinks: [...opened.values()] }
  }

  const take = async (delivery: Delivery): Promise<ReadDelivery> => {
    const { body, compression, address } = delivery
    const client = clientOf(address)
    const next = () => slices.next(client)
    const turn = next()
    if (turn) await turn
    const small = decodeSmall(body, compression)
    return small
      ? readDelivery(small, delivery, next)
      : large.run(client, async () => readDelivery(await decode(body, compression, { next }), delivery, next))
  }

  const countRejections = (rejections: readonly RejectedEvent[]) => {
    const byCode = new Map<string, number>()
    for (const { code } of rejections) byCode.set(code, (byCode.get(code) ?? 0) + 1)
    for (const [reason, by] of byCode) count('trailmark_events_refused_total', { reason }, by)
  }

  return async (delivery) => {
    const { rows, lines, rejections, samples, sinks: open } = await take(delivery)
    // Runs first: if this fails, no event is stored yet, and the client can resend the whole delivery.
    await rejectedEvents.keep(samples)
    for (const { flush } of open) await flush()
    const unstorable = await writer.write(rows, lines)
    for (const { row } of unstorable) rejections.push(rejected({ index: row.index, uuid: row.sentUuid }, 'unstorable'))
    // The events are stored. An error would make the client resend them, which duplicates those without a uuid.
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
