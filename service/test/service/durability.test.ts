import { uuidv7 } from '../../src/lib/uuid.ts'
import { capture, countOf, event, isReady, rowsOf } from '../support/api.ts'
import { childrenOf, isRunning, until } from '../support/engine.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'
import { rmSync } from 'node:fs'

// All tests use one data folder, each with its own event name, because starting a service takes longer than most tests.
const data = temporaryFolder()
let running: RunningService | undefined

/** Returns the service, and starts it if it does not run. */
const start = async () => (running ??= await startService({ data }))
const crash = async () => {
  await running!.kill()
  running = undefined
}
/** Stops the service and returns its exit code. */
const stop = async () => {
  const code = await running!.stop()
  running = undefined
  return code
}

const engineOf = ({ process }: RunningService) => childrenOf(process.pid!)[0]!

afterAll(async () => {
  await running?.kill()
  rmSync(data, { recursive: true, force: true })
})

test('an acknowledged event survives kill -9 of the service, exactly once', async () => {
  const first = await start()
  const engine = engineOf(first)
  const uuid = uuidv7()
  expect((await capture(first, event('kept', { uuid }))).status).toBe(200)
  await crash()
  await until(() => !isRunning(engine))

  const second = await start()
  expect(await countOf(second, 'kept')).toBe(1)
  // The client may not have received the response, so it retries.
  expect((await capture(second, event('kept', { uuid }))).body).toEqual({ status: 1 })
  expect(await countOf(second, 'kept')).toBe(1)
  expect(second.token).toBe(first.token)
  expect(second.key).toBe(first.key)
})

test('an acknowledged event survives kill -9 of the engine and the service recovers without intervention', async () => {
  const service = await start()
  const engine = engineOf(service)
  const uuid = uuidv7()
  expect((await capture(service, event('outlasting'))).status).toBe(200)
  process.kill(engine, 'SIGKILL')
  // Sent while the engine is down: the response waits until the engine is back, at most 15 s. Two of them are long enough.
  const send = () => capture(service, event('outlasting', { uuid }))
  let reply = await send()
  if (reply.status === 503 && !service.output().includes('The engine restarted in')) reply = await send()
  expect(reply.status).toBe(200)
  expect(await countOf(service, 'outlasting')).toBe(2)
  expect(engineOf(service)).not.toBe(engine)
  await until(() => isReady(service))
})

test('repeated engine crashes neither lose nor duplicate acknowledged events', async () => {
  const service = await start()
  const acknowledged = new Set<string>()
  let sending = true
  const send = async () => {
    while (sending) {
      const uuid = uuidv7()
      // Retries like an SDK: sends the same event until it is acknowledged.
      for (let done = false; !done && sending;) {
        const reply = await capture(service, event('stormy', { uuid })).catch(() => undefined)
        done = reply?.status === 200
        if (done) acknowledged.add(uuid)
        else await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  const senders = Array.from({ length: 8 }, send)
  try {
    for (let kills = 0; kills < 4; kills += 1) {
      const before = acknowledged.size
      await until(() => acknowledged.size > before + 50)
      const engine = engineOf(service)
      process.kill(engine, 'SIGKILL')
      await until(() => childrenOf(service.process.pid!).some((pid) => pid !== engine && isRunning(pid)))
    }
  } finally {
    sending = false
  }
  await Promise.all(senders)
  const stored = await countOf(service, 'stormy')
  // An event whose request was in flight at the end may be stored without a received response.
  expect(stored).toBeGreaterThanOrEqual(acknowledged.size)
  expect(stored).toBeLessThanOrEqual(acknowledged.size + senders.length)
})

test('an event in flight during a service crash is stored once after a retry', async () => {
  const first = await start()
  const events = Array.from({ length: 200 }, () => event('cut off', { uuid: uuidv7() }))
  const sent = events.map((each) => capture(first, each).catch(() => undefined))
  await Promise.race(sent)
  await crash()
  await Promise.all(sent)

  const second = await start()
  await Promise.all(events.map((each) => capture(second, each)))
  expect(await countOf(second, 'cut off')).toBe(200)
})

test('Ctrl-C completes pending requests, stops the engine and exits with 0', async () => {
  const service = await start()
  const engine = engineOf(service)
  const sent = Array.from({ length: 20 }, () => capture(service, event('last words')))
  await Promise.race(sent)
  service.process.kill('SIGINT')
  const replies = await Promise.allSettled(sent)
  expect(await stop()).toBe(0)
  expect(isRunning(engine)).toBe(false)

  const answered = replies.filter((reply) => reply.status === 'fulfilled' && reply.value.status === 200).length
  const again = await start()
  expect(await countOf(again, 'last words')).toBeGreaterThanOrEqual(answered)
  expect(answered).toBeGreaterThan(0)
})

test('SIGTERM under load keeps every acknowledged event exactly once and exits with 0', async () => {
  const service = await start()
  const engine = engineOf(service)
  const acknowledged: string[] = []
  let sending = true
  const senders = Array.from({ length: 8 }, async () => {
    while (sending) {
      const uuids = Array.from({ length: 10 }, () => uuidv7())
      const reply = await capture(service, ...uuids.map((uuid) => event('until the end', { uuid }))).catch(
        () => undefined,
      )
      if (reply?.status === 200) acknowledged.push(...uuids)
      if (!reply) return // the service no longer listens
    }
  })
  await until(() => acknowledged.length > 500)
  const before = acknowledged.length
  const code = await stop()
  sending = false
  await Promise.all(senders)
  expect(code).toBe(0)
  expect(isRunning(engine)).toBe(false)
  expect(acknowledged.length).toBeGreaterThan(before) // pending requests got a response

  const again = await start()
  const stored = (await rowsOf(again, "SELECT uuid FROM events WHERE event = 'until the end' LIMIT 50000")).map(
    ([uuid]) => uuid,
  )
  expect(new Set(stored).size).toBe(stored.length)
  const known = new Set(stored)
  expect(acknowledged.filter((uuid) => !known.has(uuid))).toEqual([])
})
