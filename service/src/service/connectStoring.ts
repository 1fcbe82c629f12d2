import type { Config } from '../config.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Epochs } from '../endpoints/epochs.ts'
import type { OwnerChanges } from '../endpoints/ownerChanges.ts'
import { createKeepPoints, type KeepPoints } from '../heatmaps/store.ts'
import { createRejectedEvents, type RejectedEvents } from '../ingest/rejectedEvents.ts'
import { createWriter, type Writer } from '../ingest/writer.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import { createForgetPerson } from '../persons/erase.ts'
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

interface StoringOptions {
  readonly config: Config
  /** Whether other processes serve the same events and metadata. */
  readonly isShared: boolean
  readonly gate: EngineGate
  readonly metadata: Metadata
  readonly metrics: Metrics
  readonly epochs: Epochs
  readonly owners: OwnerChanges
  readonly slices: TimeSlices
  readonly log: Log
}

interface ConnectedStorage {
  readonly writer: Writer
  readonly rejectedEvents: RejectedEvents
  readonly keepPoints: KeepPoints
  /** Deletes a person's facts between two batches, so that no batch reads a partially erased person. */
  readonly forgetPerson: (projectId: number, ids: readonly string[]) => Promise<void>
}

/** Connects the writer of events with the facts about persons, the epochs and the metrics. */
export const connectStoring = ({
  config,
  isShared,
  gate,
  metadata,
  metrics,
  epochs,
  owners,
  slices,
  log,
}: StoringOptions): ConnectedStorage => {
  const lastSeen = isShared ? undefined : createLastSeenCache()
  const facts = createPersonFacts(gate.ingest, {
    slices,
    owners,
    ...(lastSeen ? { lastSeen } : {}),
  })
  const forget = createForgetPerson(gate.ingest, facts, lastSeen)
  const writer = createWriter(gate.ingest, {
    before: facts.store,
    onStoring: epochs.begin,
    onChange: epochs.end,
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
  const rejectedEvents = createRejectedEvents({ ...gate.runs, insert: gate.ingest.insert }, metrics)
  return {
    writer,
    rejectedEvents,
    keepPoints: createKeepPoints(gate.ingest),
    forgetPerson: (projectId, ids) => writer.between(() => forget(projectId, ids)),
  }
}
