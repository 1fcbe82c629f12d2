import { Agent, request } from 'node:http'

/** Posts a body; resolves with the status. */
export const createPost = (url, sockets) => {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets })
  const post = (path, body, headers = {}) =>
    new Promise((done, failed) => {
      const sent = request(new URL(path, url), { method: 'POST', agent, headers: { 'content-length': Buffer.byteLength(body), ...headers } }, (answer) => {
        answer.resume()
        answer.on('end', () => done(answer.statusCode))
      })
      sent.on('error', failed)
      sent.end(body)
    })
  return { post, close: () => agent.destroy() }
}

/** Sends again and again, `atOnce` at a time, each as soon as the one before is answered: as much as is taken. Gives ms of each answer. */
export const asMuchAsIsTaken = async ({ seconds, atOnce, send }) => {
  const times = []
  let refused = 0
  const start = performance.now()
  const end = start + seconds * 1_000
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) {
        const asked = performance.now()
        const status = await send()
        if (status === 200) times.push(performance.now() - asked)
        else refused += 1
      }
    }),
  )
  return { times, refused, seconds: (performance.now() - start) / 1_000 }
}

/** Sends `aSecond` times a second whether or not what came before is answered. Gives ms from when each was due to its answer. */
export const atARate = async ({ seconds, aSecond, send }) => {
  const times = []
  let refused = 0
  const asked = []
  const start = performance.now()
  for (let sent = 0; sent < seconds * aSecond; ) {
    const due = Math.min(seconds * aSecond, Math.floor(((performance.now() - start) / 1_000) * aSecond))
    for (; sent < due; sent += 1) {
      const dueAt = start + (sent / aSecond) * 1_000
      asked.push(send().then((status) => (status === 200 ? times.push(performance.now() - dueAt) : (refused += 1))))
    }
    await new Promise((next) => setTimeout(next, 1))
  }
  await Promise.all(asked)
  return { times, refused, seconds: (performance.now() - start) / 1_000 }
}
