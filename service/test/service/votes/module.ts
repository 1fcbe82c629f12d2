import { Type } from '@sinclair/typebox'
import { ON } from '../../../src/flags/remoteSetting.ts'
import { routesWith } from '../../../src/http/route.ts'
import type { IngestSink } from '../../../src/ingest/sink.ts'
import type { Module } from '../../../src/module.ts'
import type { QueryRows } from '../../../src/persons/queryRows.ts'
import { insertAll } from '../../../src/storage/insertRows.ts'
import { BY_PERSON } from '../../../src/storage/schema/schema.ts'
import type { Storage } from '../../../src/storage/storage.ts'

interface VoteParts {
  readonly queryRows: QueryRows
  readonly storage: Pick<Storage, 'insert'>
  readonly background: Pick<Storage, 'remove'>
  readonly countVote: () => void
}

const route = routesWith<VoteParts>()

const createSink = ({ storage, countVote }: VoteParts): IngestSink => ({
  events: ['vote'],
  open() {
    const lines: string[] = []
    return {
      read({ properties: { choice } }) {
        if (typeof choice !== 'string') return 'invalid_vote'
        return {
          isDiverted: true,
          take(project_id, { uuid, distinctId: distinct_id }) {
            lines.push(`${JSON.stringify({ project_id, uuid, distinct_id, choice })}\n`)
            countVote()
            return undefined
          },
        }
      },
      async flush() {
        await insertAll(storage, 'db.votes', Buffer.from(lines.join('')))
      },
    }
  },
})

/** A product that only a test adds: it counts the votes of people. */
export const VOTES: Module<VoteParts> = {
  create: ({ queryRows, gate, metrics }) => ({
    queryRows,
    storage: gate.ingest,
    background: gate.background,
    countVote: metrics.counter('test_votes_total'),
  }),
  routes: [
    route({
      method: 'GET',
      path: '/api/projects/:projectId/votes',
      access: 'query:read',
      summary: 'Count the votes',
      response: Type.Record(Type.String(), Type.Integer()),
      async handler({ queryRows }, { projectId, signal }) {
        const text = 'SELECT choice, count() FROM db.votes FINAL WHERE project_id = {projectId:UInt32} GROUP BY choice'
        return {
          body: Object.fromEntries(await queryRows(projectId, { text, params: { projectId } }, signal)) as object,
        }
      },
    }),
  ],
  schema: {
    tables: [{ name: 'votes', shardedBy: BY_PERSON }],
    migrations: [
      {
        id: 1_000_000,
        name: 'votes',
        statements: [
          `CREATE TABLE IF NOT EXISTS db.votes (project_id UInt32, uuid UUID, distinct_id String, choice String)
          ENGINE = ReplacingMergeTree ORDER BY (project_id, uuid)`,
        ],
      },
    ],
  },
  metrics: { test_votes_total: { type: 'counter', labels: [], help: 'Votes.' } },
  ingestSink: createSink,
  rejections: {
    invalid_vote: { message: '"choice" must be a string.', remedy: 'Send the choice as a string.' },
  },
  remoteSettings: { votes: { schema: ON, byDefault: true } },
  eraser: ({ background }) => ({
    erase: (projectId, ids) =>
      background.remove(
        { table: 'votes', where: 'distinct_id IN {ids:Array(String)}', params: { projectId, ids } },
        { maxSeconds: 60, maxMemoryBytes: 1_000_000_000 },
      ),
  }),
}
