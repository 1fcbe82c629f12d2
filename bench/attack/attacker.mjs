// Runs as a separate process: sends one attack until its time is over.
import { ATTACKS } from './attacks.mjs'
import { CLIENTS, createClient } from './client.mjs'

// A rejected client sends its next request after a short pause, so that the loop does not keep a core busy by itself.
const REJECTED_PAUSE_MS = 5
const pause = (ms) => new Promise((next) => setTimeout(next, ms))

process.on('message', async ({ name, url, seconds, most, ...project }) => {
  const { atOnce, send } = ATTACKS[name]
  const client = createClient(url, CLIENTS.attacker)
  const endAt = performance.now() + seconds * 1_000
  const answers = {}
  let n = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < endAt && n < most) {
        n += 1
        const answer = await send({ ...project, client, endAt, pause, n })
        answers[answer] = (answers[answer] ?? 0) + 1
        await pause(REJECTED_PAUSE_MS)
      }
    }),
  )
  client.close()
  process.send(answers, () => process.exit(0))
})
