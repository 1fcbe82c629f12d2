// The environment of the jest project `cluster and Postgres`: services run on a cluster of two shards with metadata in Postgres.
import './onCluster.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

let postgres: PostgresServer

beforeAll(async () => {
  postgres = await startPostgres()
  process.env.TEST_DATABASE_URL = await postgres.create('definitions')
})

afterAll(() => postgres.stop())
