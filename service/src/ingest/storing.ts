import { createRecentIds } from './recentIds.ts'
import { createRejectedEvents, type RejectedEvents } from './rejectedEvents.ts'
import { createWriter, type Writer } from './writer.ts'
import type { Module } from '../module.ts'
import { createForgetPerson, type ForgetPerson } from '../persons/forget.ts'
import { createPersonFacts } from '../persons/facts.ts'
import { createLastSeenCache } from '../persons/lastSeenCache.ts'
import { type Metadata, MetadataUnavailable } from '../storage/metadata/metadata.ts'
import { StorageError } from '../storage/storage.ts'

/**
 * Runs work while no other process stores events. Reports an unavailable metadata store as an unavailable event store,
 * which the writer retries.
 */
const storingWithLock =
  ({ withLock }: Metadata) =>
  <Value>(work: () => Promise<Value>): Promise<Value> =>
    withLock('events', work).catch((error: unknown) => {
      throw error instanceof MetadataUnavailable ? new StorageError('unavailable', error.message) : error
    })

interface StoringParts {
  readonly writer: Writer
  readonly rejectedEvents: RejectedEvents
  /** Deletes a person's facts between two batches, so that no batch reads a partially erased person. */
  readonly forgetPerson: ForgetPerson
}

/** The writer of events, with the facts about persons, the epochs and the metrics. */
export const STORING: Module<StoringParts> = {
  create({
    config,
    isShared,
    gate,
    metadata,
    metrics,
    epochs,
    plainProperties,
    owners,
    slices,
    rejections,
    onStop,
    log,
  }) {
    const lastSeen = isShared ? undefined : createLastSeenCache()
    const recentIds = isShared ? undefined : createRecentIds(gate.ingest)
    const facts = createPersonFacts(gate.ingest, {
      slices,
      owners,
      ...(lastSeen ? { lastSeen } : {}),
    })
    const forget = createForgetPerson(gate.ingest, facts, { lastSeen, owners })
    const writer = createWriter(gate.ingest, {
      async before(rows) {
        for (const { projectId, structured } of rows) plainProperties.note(projectId, structured)
        await facts.store(rows)
      },
      onStoring: epochs.begin,
      onChange: epochs.end,
      recentIds,
      ...(isShared ? { withLock: storingWithLock(metadata) } : {}),
      maxChars: config.ingestBytes,
      onBatch({ stored, repeats, seconds }) {
        metrics.count('trailmark_events_stored_total', {}, stored)
        metrics.count('trailmark_events_repeated_total', {}, repeats)
        metrics.observe('trailmark_writer_batch_seconds', {}, seconds)
      },
      onFault: ({ stack }) => log(`Storing a batch of events failed: ${stack}`, { level: 'error' }),
      onFull: (isFull) =>
        isFull
          ? log(
              'The disk of the event store is full. Deliveries get a 507 until there is space. All acknowledged events are stored.',
              { level: 'error' },
            )
          : log('The event store has disk space again.'),
    })
    onStop(() => writer.close())
    const rejectedEvents = createRejectedEvents(
      { ...gate.runs, insert: gate.ingest.insert },
      { reasons: rejections, count: metrics.count },
    )
    return {
      writer,
      rejectedEvents,
      forgetPerson: (projectId, ids) =>
        writer.between(() => {
          recentIds?.forget()
          return forget(projectId, ids)
        }),
    }
  },
}
