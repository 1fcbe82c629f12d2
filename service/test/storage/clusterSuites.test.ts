// Suites of the service once more, each on a cluster of two shards of its own: one or two of every room that asks the store.
// All of them take too long for every change; `TEST_STORE=cluster npx jest --selectProjects service --testPathPatterns NAME` runs
// any other there.
import type { PostgresServer } from '../support/postgres.ts'

process.env.TEST_STORE = 'cluster'
// Not imported: what is imported comes before the line above, and reads it.
const { startPostgres } = require('../support/postgres.ts') as typeof import('../support/postgres.ts')

describe('with their definitions in Postgres', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 60_000)
  afterAll(() => postgres.stop())

  describe.each(['capture', 'endpoints'])('on two shards: %s', (suite) => {
    beforeAll(async () => {
      process.env.TEST_DATABASE_URL = await postgres.create(suite)
    })
    afterAll(() => {
      delete process.env.TEST_DATABASE_URL
    })
    require(`../service/${suite}.test.ts`)
  })
})

describe.each(['runs', 'insights', 'people', 'persons', 'materialization'])('on two shards: %s', (suite) => {
  require(`../service/${suite}.test.ts`)
})
