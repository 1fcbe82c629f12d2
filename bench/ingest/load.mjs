import { connect } from 'node:net'

/** A POST as it goes over the wire. Made beforehand, so that to send it costs next to nothing of the cores that the service shares. */
export const toRequest = (url, path, body) =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ])

const HEAD_END = '\r\n\r\n'

/** The status of the answer at the beginning of `text`, once all of it is there. The service says how long each of its answers is. */
const statusOf = (text) => {
  const head = text.indexOf(HEAD_END)
  if (head < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1])
  return text.length >= head + HEAD_END.length + length ? Number(text.slice(9, 12)) : undefined
}

/** Connections that stay open; each carries one request at a time, and what comes while all are busy waits for one. */
export const createSender = (url, connections) => {
  const { hostname, port } = new URL(url)
  const sockets = []
  const free = []
  const waiting = []

  const open = () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let answer = ''
    let current
    const take = (next) => {
      current = next
      socket.write(next.request)
    }
    // Bytes as characters: lengths agree, and nothing of the body but its end matters.
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      answer += part
      const status = statusOf(answer)
      if (status === undefined) return
      const { done } = current
      answer = ''
      const next = waiting.shift()
      if (next) take(next)
      else free.push(take)
      done(status)
    })
    const fail = (error) => current?.failed(error ?? new Error('The service has closed a connection.'))
    socket.on('error', fail)
    socket.on('close', () => fail())
    sockets.push(socket)
    return take
  }

  return {
    /** Resolves with the status. */
    send: (request) =>
      new Promise((done, failed) => {
        const next = { request, done, failed }
        const take = free.pop() ?? (sockets.length < connections ? open() : undefined)
        if (take) take(next)
        else waiting.push(next)
      }),
    close: () => sockets.forEach((socket) => socket.destroy()),
  }
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

/** Sends each request once, `atOnce` at a time. Gives how many were taken. */
export const eachOnce = async ({ requests, atOnce, send }) => {
  let taken = 0
  const start = performance.now()
  const left = requests.values() // of which whoever is free takes the next
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const request of left) if ((await send(request)) === 200) taken += 1
    }),
  )
  return { taken, seconds: (performance.now() - start) / 1_000 }
}

/** Sends `aSecond` times a second whether or not what came before is answered. Gives ms from when each was due to its answer. */
export const atARate = async ({ seconds, aSecond, send }) => {
  const times = []
  let refused = 0
  const asked = []
  const start = performance.now()
  for (let sent = 0; sent < seconds * aSecond;) {
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
