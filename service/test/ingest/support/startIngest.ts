import { REJECTIONS } from '../../../src/modules.ts'
import type { PlainProperties } from '../../../src/endpoints/plainProperties.ts'
import type { ServiceEpochs } from '../../../src/endpoints/serviceEpochs.ts'
import { createGroupTypes } from '../../../src/ingest/groupTypes.ts'
import { createIngest, type Ingest } from '../../../src/ingest/ingest.ts'
import { createPersonFacts, type FactOptions } from '../../../src/persons/facts.ts'
import { createLastSeenCache } from '../../../src/persons/lastSeenCache.ts'
import { createWriter } from '../../../src/ingest/writer.ts'
import type { IngestSink } from '../../../src/ingest/sink.ts'
import { createTimeSlices } from '../../../src/lib/timeSlices.ts'
import type { Storage } from '../../../src/storage/storage.ts'

/** Creates a store of group types for one test, shared by all projects. */
export const createTypes = () => {
  const types: string[] = []
  return {
    types,
    groupTypes: {
      list: async () => types,
      add: async (_: number, more: readonly string[], most: number) => {
        for (const type of more) if (!types.includes(type) && types.length < most) types.push(type)
        return types
      },
    },
  }
}

/**
 * Starts the ingest part of a service process, which shares only the stores with others. A project's token is its ID. A
 * write that is not stored within `waitMs` fails.
 */
export const startIngest = (
  storage: Pick<Storage, 'rows' | 'insert' | 'remove' | 'ready'>,
  { groupTypes } = createTypes(),
  // Longer than any write takes on a busy machine.
  waitMs = 120_000,
  {
    sinks = [],
    epochs,
    owners,
    plainProperties,
  }: {
    sinks?: readonly IngestSink[]
    epochs?: ServiceEpochs['epochs']
    owners?: FactOptions['owners']
    plainProperties?: Pick<PlainProperties, 'note'>
  } = {},
): Ingest => {
  const facts = createPersonFacts(storage, {
    lastSeen: createLastSeenCache(),
    ...(owners ? { owners } : {}),
  })
  return createIngest({
    projectByToken: async (token) => ({
      id: Number(token),
      name: token,
      token,
      timezone: 'UTC',
      createdAt: '',
      previousTokenUntil: undefined,
      toolbarOrigins: [],
    }),
    groupTypes: createGroupTypes({ groupTypes }),
    writer: createWriter(storage, {
      async before(rows) {
        for (const { projectId, structured } of rows) plainProperties?.note(projectId, structured)
        await facts.store(rows)
      },
      ...(epochs ? { onStoring: epochs.begin, onChange: epochs.end } : {}),
      waitMs,
    }),
    placeOf: () => undefined,
    rejectedEvents: { sample: () => undefined, keep: async () => {} },
    rejections: REJECTIONS,
    sinks,
    refusers: [],
    enrichers: [],
    slices: createTimeSlices(),
    count: () => {},
  })
}

/** Delivers a batch to a process. */
export const deliver = (ingest: Ingest, project: number, batch: readonly object[], receivedAt = Date.UTC(2026, 5, 1)) =>
  ingest({
    body: Buffer.from(JSON.stringify({ api_key: String(project), batch })),
    compression: undefined,
    token: undefined,
    receivedAt,
    address: '127.0.0.1',
  })
