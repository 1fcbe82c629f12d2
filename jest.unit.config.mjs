// `npm run test:unit`: the tests that start no process and need no build. They take seconds.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import config from './jest.config.mjs'

const STARTS_PROCESS =
  /\/(startService|sharedService|serverSdk|startIngest|engine|clickhouse|postgres|cli)\.ts'|'node:child_process'/

const testsWithProcess = ['test', 'service/test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.test.ts') && STARTS_PROCESS.test(readFileSync(file, 'utf8'))),
)

export default {
  ...config,
  projects: config.projects
    .filter(({ displayName }) => ['sdk', 'service'].includes(displayName))
    .map((project) => ({ ...project, testPathIgnorePatterns: testsWithProcess.map((file) => `/${file}$`) })),
}
