import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJobThread, createJobTurns, type JobThread, type JobTurns } from '../../src/lib/jobThread.ts'
import { until } from '../support/engine.ts'

// A program without `serveJobs`, so that it can do what a program must not: fail between jobs and never answer.
const PROGRAM = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', (job) => {
    if (job === 'hang') return
    if (job === 'slow') return setTimeout(() => parentPort.postMessage({ value: { job, threadId } }), 300)
    if (job === 'crash') throw new Error('crashed')
    if (job === 'fill') for (const all = []; ; ) all.push(new Array(1e5).fill(Math.random()))
    if (job === 'fail') return parentPort.postMessage({ failure: { code: 'not_found', details: { detail: 'None.' } } })
    if (job === 'throw') return parentPort.postMessage({ failure: { error: new TypeError('thrown') } })
    if (job === 'crash later') setImmediate(() => { throw new Error('crashed between jobs') })
    parentPort.postMessage({ value: { job, threadId }, isLarge: job === 'large' })
  })
`

let folder: string
let thread: JobThread<string, { job: string; threadId: number }>

const create = (maxMs: number, turns: JobTurns = createJobTurns(), maxIdleMsIfLarge = 1_000): typeof thread =>
  createJobThread(join(folder, 'program.cjs'), { maxMs, maxHeapMb: 32, maxIdleMsIfLarge, turns })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trailmark-'))
  writeFileSync(join(folder, 'program.cjs'), PROGRAM)
  thread = create(600_000)
})
afterEach(async () => {
  await thread.close()
  rmSync(folder, { recursive: true })
})

test('runs jobs in one thread', async () => {
  const first = await thread.run('a', 'first')
  expect(first.job).toBe('first')
  expect(await thread.run('a', 'second')).toEqual({ job: 'second', threadId: first.threadId })
})

test.each([
  ['takes too much memory', 'fill', 'it takes too much memory to read'],
  ['crashes the thread', 'crash', 'reading it failed: crashed'],
])('rejects a job that %s, and runs the next in a new thread', async (_, job, message) => {
  const { threadId } = await thread.run('a', 'before')
  const failed = expect(thread.run('a', job)).rejects.toMatchObject({ name: 'JobEndedError', message })
  const next = thread.run('b', 'next')
  await failed
  expect((await next).job).toBe('next')
  expect((await next).threadId).not.toBe(threadId)
})

test('rejects a job that takes too long', async () => {
  const hasty = create(500)
  await expect(hasty.run('a', 'hang')).rejects.toMatchObject({ message: 'it takes more than 0.5 seconds to read' })
  await hasty.close()
})

test('a thread that crashes between jobs does not end the process', async () => {
  const { threadId } = await thread.run('a', 'crash later')
  let next
  do next = await thread.run('a', 'next').catch(() => undefined)
  while (!next || next.threadId === threadId)
  expect(next.job).toBe('next')
})

test('rejects with the error of a job', async () => {
  await expect(thread.run('a', 'fail')).rejects.toMatchObject({ code: 'not_found' })
  await expect(thread.run('a', 'throw')).rejects.toMatchObject({ message: 'thrown' })
})

test('the clients of a job thread take turns', async () => {
  const order: string[] = []
  const run = (client: string) => thread.run(client, client).then(() => order.push(client))
  await Promise.all([run('a'), run('a'), run('a'), run('b')])
  expect(order.indexOf('b')).toBeLessThan(3)
})

test('a thread that holds much memory ends as soon as it has no jobs', async () => {
  const { threadId } = await thread.run('a', 'large')
  expect(await thread.run('a', 'large')).toEqual({ job: 'large', threadId })
  // Each further job starts the wait of one second again.
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    return (await thread.run('a', 'large')).threadId !== threadId
  })
})

test('a thread that holds much memory ends before its next job if it may not wait', async () => {
  const own = create(600_000, createJobTurns(), 0)
  const { threadId } = await own.run('a', 'large')
  expect((await own.run('a', 'next')).threadId).not.toBe(threadId)
  await own.close()
})

test('job threads take turns, and one that holds much memory ends before the next job of another', async () => {
  const turns = createJobTurns()
  const [one, two] = [create(600_000, turns), create(600_000, turns)]
  const { threadId } = await one.run('a', 'large')
  expect((await one.run('a', 'large')).threadId).toBe(threadId)
  await two.run('a', 'first')
  expect((await one.run('a', 'next')).threadId).not.toBe(threadId)

  const order: string[] = []
  const run = (of: typeof thread, client: string, job: string) => of.run(client, job).then(() => order.push(job))
  await Promise.all([run(one, 'a', 'slow'), run(one, 'b', 'third'), run(two, 'a', 'second')])
  expect(order).toEqual(['slow', 'second', 'third'])
  await Promise.all([one.close(), two.close()])
})

test('a job thread runs jobs again after it was closed', async () => {
  await thread.run('a', 'first')
  await thread.close()
  expect((await thread.run('a', 'second')).job).toBe('second')
})
