/** @jest-environment node */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { startCollector } from './collector'

// test/runtimes runs the same script in other runtimes.

const ROOT = resolve(__dirname, '../../..')

test.each(['flush', 'no flush'])('a process of Node sends all events and ends by itself: %s', async (mode) => {
  const collector = await startCollector()
  const child = spawn(
    process.execPath,
    [`${ROOT}/test/runtimes/process.mjs`, `${ROOT}/dist/esm/server.js`, collector.url, 'node', mode],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const code = await new Promise((done) => child.once('close', done))
  expect([code, collector.stored.size]).toEqual([0, 2])
  await collector.stop()
})
