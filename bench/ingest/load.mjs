import { connect } from 'node:net'

/** Returns the bytes of a POST request. Built in advance, because sending shares the cores with the service. */
export const toRequest = (url, path, body) =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ])

const HEAD_END = '\r\n\r\n'

/** Returns the status of the response in `text` once it is complete. Responses of the service have a Content-Length. */
const statusOf = (text) => {
  const head = text.indexOf(HEAD_END)
  if (head < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1])
  return text.length >= head + HEAD_END.length + length ? Number(text.slice(9, 12)) : undefined
}

/** Creates a pool of persistent connections. Each carries one request at a time; further requests wait. */
export const createSender = (url, connections) => {
  const { hostname, port } = new URL(url)
  const sockets = []
  const free = []
  const waiting = []

  const open = () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let response = ''
    let current
    const take = (next) => {
      current = next
      socket.write(next.request)
    }
    // One character per byte, so that lengths match. Only the length of the body matters.
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      response += part
      const status = statusOf(response)
      if (status === undefined) return
      const { done } = current
      response = ''
      const next = waiting.shift()
      if (next) take(next)
      else free.push(take)
      done(status)
    })
    const fail = (error) => current?.failed(error ?? new Error('The service closed a connection.'))
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

/** Sends requests in `atOnce` concurrent loops for `seconds`. Resolves with the durations of the responses in ms. */
export const asMuchAsIsTaken = async ({ seconds, atOnce, send }) => {
  const times = []
  let rejected = 0
  const start = performance.now()
  const end = start + seconds * 1_000
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) {
        const sentAt = performance.now()
        const status = await send()
        if (status === 200) times.push(performance.now() - sentAt)
        else rejected += 1
      }
    }),
  )
  return { times, rejected, seconds: (performance.now() - start) / 1_000 }
}

/** Sends each request once, in `atOnce` concurrent loops. Resolves with the number of accepted requests. */
export const eachOnce = async ({ requests, atOnce, send }) => {
  let taken = 0
  const start = performance.now()
  const left = requests.values() // shared by all loops
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const request of left) if ((await send(request)) === 200) taken += 1
    }),
  )
  return { taken, seconds: (performance.now() - start) / 1_000 }
}

/** Sends `aSecond` requests per second, without waiting for responses. Resolves with the ms from the due time to each response. */
export const atARate = async ({ seconds, aSecond, send }) => {
  const times = []
  let rejected = 0
  const requests = []
  const start = performance.now()
  for (let sent = 0; sent < seconds * aSecond;) {
    const due = Math.min(seconds * aSecond, Math.floor(((performance.now() - start) / 1_000) * aSecond))
    for (; sent < due; sent += 1) {
      const dueAt = start + (sent / aSecond) * 1_000
      requests.push(send().then((status) => (status === 200 ? times.push(performance.now() - dueAt) : (rejected += 1))))
    }
    await new Promise((next) => setTimeout(next, 1))
  }
  await Promise.all(requests)
  return { times, rejected, seconds: (performance.now() - start) / 1_000 }
}
