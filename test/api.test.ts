/** @jest-environment node */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

test('the public API matches the report in api/ (npm run api updates it)', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/apiReport.mjs', '--check'], {
    cwd: resolve(__dirname, '..'),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})
